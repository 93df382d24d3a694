/* Workers that share memory wake a sibling process by a datagram to a name chosen by the kernel.
 *
 * run: racing
 * engine: native (processes that share memory)
 * shows: bind, clone, getsockname, mmap, recvfrom, sendto, socket, wait4
 * source: sockets inside the experiment; shared memory, mapped files
 */
#include "guest.h"
#include <stdatomic.h>
#include <sys/un.h>

enum { WORKERS = 3, JOBS = 60, EACH = 5 };
static struct shared { atomic_int next, done; atomic_llong sum; } *shared;
static int bound(struct sockaddr_un *at, socklen_t *size)
{
    sa_family_t family = AF_UNIX;
    int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    *size = sizeof *at;
    CHECK(fd >= 0 && bind(fd, (void *)&family, sizeof family) == 0 && getsockname(fd, (void *)at, size) == 0);
    return fd;
}
static void work(const struct sockaddr_un *to, socklen_t size)
{
    struct sockaddr_un own;
    socklen_t n;
    int fd = bound(&own, &n);
    for (int job; (job = atomic_fetch_add(&shared->next, 1)) < JOBS; atomic_fetch_add(&shared->done, 1)) {
        for (volatile int i = 0; i < 20000 * (job % 7); i++) {
        }
        atomic_fetch_add(&shared->sum, job);
        if (job % EACH == 0)
            CHECK(sendto(fd, "", 1, 0, (const void *)to, size) == 1);
    }
    while (atomic_load(&shared->done) < JOBS) {
    }
    _exit(0);
}
int main(void)
{
    struct sockaddr_un at;
    socklen_t size;
    char byte;
    int fd = bound(&at, &size);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(shared != MAP_FAILED);
    for (int i = 0; i < WORKERS; i++)
        if (fork() == 0)
            work(&at, size);
    for (int i = 0; i < JOBS / EACH; i++)
        CHECK(recv(fd, &byte, 1, 0) == 1);
    for (int i = 0; i < WORKERS; i++)
        CHECK(wait(NULL) > 0);
    printf("sum %lld of %s\n", (long long)atomic_load(&shared->sum), at.sun_path + 1);
    return guest_done();
}

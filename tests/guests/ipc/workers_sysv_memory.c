/* Workers, which are programs of their own, share memory by a System V key. They take jobs there and spin until
 * all are done.
 *
 * run: racing
 * engine: native (processes that share memory)
 * shows: clone, execve, getpid, lseek, read, shmat, shmctl, shmget, unlink, wait4
 * source: System V IPC, POSIX message queues; shared memory, mapped files
 */
#include "guest.h"
#include <stdatomic.h>
#include <sys/ipc.h>
#include <sys/shm.h>

enum { WORKERS = 3, JOBS = 60 };
static struct shared { atomic_int next, done; atomic_llong sum; } *shared;
static int job(int number)
{
    char name[40], text[32] = "";
    snprintf(name, sizeof name, "job%d.txt", number);
    int fd = open(name, O_CREAT | O_RDWR | O_TRUNC, 0600);
    CHECK(fd >= 0 && dprintf(fd, "%d", number * number) > 0 && lseek(fd, 0, SEEK_SET) == 0);
    CHECK(read(fd, text, sizeof text - 1) > 0 && close(fd) == 0 && unlink(name) == 0);
    for (volatile int i = 0; i < 20000 * (number % 5); i++) {
    }
    return atoi(text);
}
static void *attach(int id)
{
    void *at = shmat(id, NULL, 0);
    CHECK(at != (void *)-1);
    return at;
}
static int work(key_t key)
{
    shared = attach(shmget(key, 0, 0));
    for (int i; (i = atomic_fetch_add(&shared->next, 1)) < JOBS; atomic_fetch_add(&shared->done, 1))
        atomic_fetch_add(&shared->sum, job(i));
    while (atomic_load(&shared->done) < JOBS) {
    }
    return 0;
}
int main(int argc, char **argv)
{
    char text[16];
    key_t key = 0x5265780 + getpid();
    if (argc > 1)
        return work(atoi(argv[1]));
    int id = shmget(key, sizeof *shared, IPC_CREAT | IPC_EXCL | 0600);
    CHECK(id >= 0);
    shared = attach(id);
    snprintf(text, sizeof text, "%d", key);
    for (int i = 0; i < WORKERS; i++)
        if (fork() == 0) {
            execl("/proc/self/exe", argv[0], text, NULL);
            _exit(98);
        }
    for (int i = 0; i < WORKERS; i++)
        CHECK(wait(NULL) > 0);
    CHECK(shmctl(id, IPC_RMID, NULL) == 0);
    printf("sum %lld by %d\n", (long long)atomic_load(&shared->sum), getpid());
    return guest_done();
}

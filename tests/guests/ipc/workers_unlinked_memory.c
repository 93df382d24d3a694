/* Workers share memory whose name is removed: each opens the others' by /proc/PID/fd. They take jobs there and
 * spin.
 *
 * run: racing
 * engine: native (processes that share memory)
 * shows: clone, execve, ftruncate, getpid, mmap, munmap, pipe2, read, unlink, wait4
 * source: shared memory, mapped files; /proc and /sys
 */
#include "guest.h"
#include <stdatomic.h>

enum { WORKERS = 3, JOBS = 60 };
static struct place { pid_t pid; int fd; } places[WORKERS];
struct memory { atomic_int next, done, ready; atomic_llong sum; };
static struct memory *map(int fd)
{
    struct memory *m = mmap(NULL, sizeof *m, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(m != MAP_FAILED);
    return m;
}
static struct memory *reach(int worker)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", places[worker].pid, places[worker].fd);
    int fd = open(path, O_RDWR);
    CHECK(fd >= 0);
    struct memory *m = map(fd);
    CHECK(close(fd) == 0);
    return m;
}
static int make(void)
{
    char name[64];
    snprintf(name, sizeof name, "/rex-guest-%d", getpid());
    int fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    CHECK(fd >= 0 && shm_unlink(name) == 0 && ftruncate(fd, sizeof(struct memory)) == 0);
    return fd;
}
static int work(int told, int tells)
{
    struct place own = {getpid(), make()};
    CHECK(write(tells, &own, sizeof own) == sizeof own && read(told, places, sizeof places) == sizeof places);
    struct memory *first = reach(0);
    atomic_fetch_add(&first->ready, 1);
    while (atomic_load(&first->ready) < WORKERS) {
    }
    for (int job; (job = atomic_fetch_add(&first->next, 1)) < JOBS; ) {
        struct memory *m = reach(job % WORKERS);
        for (volatile int i = 0; i < 20000 * (job % 5); i++) {
        }
        atomic_fetch_add(&m->sum, job);
        CHECK(munmap(m, sizeof *m) == 0);
        atomic_fetch_add(&first->done, 1);
    }
    while (atomic_load(&first->done) < JOBS) {
    }
    long long sum = atomic_load(&map(own.fd)->sum);
    CHECK(write(tells, &sum, sizeof sum) == sizeof sum);
    return 0;
}
static void start(char *program, const int told[2], const int tells[2])
{
    char in[16], out[16];
    snprintf(in, sizeof in, "%d", told[0]);
    snprintf(out, sizeof out, "%d", tells[1]);
    if (fork() == 0) {
        execl("/proc/self/exe", program, in, out, NULL);
        _exit(98);
    }
}
int main(int argc, char **argv)
{
    int told[2], tells[2];
    long long sum, all = 0;
    if (argc > 1)
        return work(atoi(argv[1]), atoi(argv[2]));
    CHECK(pipe(told) == 0 && pipe(tells) == 0);
    for (int i = 0; i < WORKERS; i++)
        start(argv[0], told, tells);
    for (int i = 0; i < WORKERS; i++)
        CHECK(read(tells[0], &places[i], sizeof *places) == sizeof *places);
    for (int i = 0; i < WORKERS; i++)
        CHECK(write(told[1], places, sizeof places) == sizeof places);
    for (int i = 0; i < WORKERS; i++, all += sum)
        CHECK(read(tells[0], &sum, sizeof sum) == sizeof sum);
    for (int i = 0; i < WORKERS; i++)
        CHECK(wait(NULL) > 0);
    printf("%lld by %d\n", all, getpid());
    return guest_done();
}

/* Workers, which are programs of their own, share a named semaphore. Its holder takes a job from a pipe.
 *
 * run: racing
 * engine: native (processes that share memory)
 * shows: clone, execve, getpid, pipe2, poll, read, wait4
 * source: shared memory, mapped files; locks
 */
#include "guest.h"
#include <semaphore.h>

enum { WORKERS = 3, JOBS = 60 };
static char name[64];
static int work(int jobs, int answers)
{
    sem_t *turn = sem_open(name, O_RDWR);
    CHECK(turn != SEM_FAILED);
    for (int job = 1; job; ) {
        struct pollfd p = {jobs, POLLIN, 0};
        CHECK(sem_wait(turn) == 0);
        CHECK(poll(&p, 1, -1) == 1 && read(jobs, &job, sizeof job) == sizeof job);
        CHECK(sem_post(turn) == 0);
        volatile unsigned n = 0;
        for (unsigned i = 0; i < 20000u * (unsigned)(job % 3); i++)
            n += i;
        int answer = job * job;
        CHECK(write(answers, &answer, sizeof answer) == sizeof answer);
    }
    return 0;
}
int main(int argc, char **argv)
{
    int jobs[2], answers[2], none = 0, answer;
    long long sum = 0;
    if (argc > 1) {
        snprintf(name, sizeof name, "%s", argv[1]);
        return work(atoi(argv[2]), atoi(argv[3]));
    }
    snprintf(name, sizeof name, "/rex-guest-%d", getpid());
    sem_t *turn = sem_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, 1);
    CHECK(turn != SEM_FAILED && pipe(jobs) == 0 && pipe(answers) == 0);
    for (int i = 0; i < WORKERS; i++)
        if (fork() == 0) {
            char in[16], out[16];
            snprintf(in, sizeof in, "%d", jobs[0]);
            snprintf(out, sizeof out, "%d", answers[1]);
            execl("/proc/self/exe", argv[0], name, in, out, NULL);
            _exit(98);
        }
    for (int i = 1; i <= JOBS; i++)
        CHECK(write(jobs[1], &i, sizeof i) == sizeof i);
    for (int i = 0; i < WORKERS; i++)
        CHECK(write(jobs[1], &none, sizeof none) == sizeof none);
    for (int i = 0; i < JOBS + WORKERS; i++) {
        CHECK(read(answers[0], &answer, sizeof answer) == sizeof answer);
        sum += answer;
    }
    for (int i = 0; i < WORKERS; i++)
        CHECK(wait(NULL) > 0);
    CHECK(sem_unlink(name) == 0);
    printf("%lld of %d\n", sum, getpid());
    return guest_done();
}

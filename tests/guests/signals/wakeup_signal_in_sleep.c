/* A runtime wakes a working thread by a signal, unless the thread sleeps already. In a replay it sleeps sooner and
 * gets no signal.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_gettime, clock_nanosleep, clone, clone3, tgkill
 * source: signals; sleeps and timeouts
 */
#include "guest.h"

enum { ROUNDS = 3 };
static volatile int works, naps, goes_on[ROUNDS];

static void nothing(int sig)
{
    (void)sig;
}

static void nap(int ms)
{
    struct timespec length = {0, ms * 1000000L};
    nanosleep(&length, NULL);
}

/* Takes a while when recorded. */
static void work_outside(void)
{
    pid_t child = fork();
    if (!child) {
        nap(80);
        _exit(0);
    }
    CHECK(wait_for(child) == 0);
}

static void *work(void *unused)
{
    for (int round = 0; round < ROUNDS; round++) {
        works = 1;
        work_outside();
        works = 0;
        while (!goes_on[round]) {
            nap(30);
            naps++;
        }
    }
    return unused;
}

int main(void)
{
    pthread_t worker;
    struct timespec now;
    struct sigaction a = {.sa_handler = nothing};
    CHECK(!sigaction(SIGUSR1, &a, NULL) && !pthread_create(&worker, NULL, work, NULL));
    for (int round = 0; round < ROUNDS; round++) {
        nap(40);
        if (works) {
            while (works)
                nap(1);
            nap(10);
            CHECK(!pthread_kill(worker, SIGUSR1));
        }
        for (int before = naps; naps < before + 3; )
            clock_gettime(CLOCK_MONOTONIC, &now);
        goes_on[round] = 1;
        printf("round %d: over\n", round);
    }
    CHECK(!pthread_join(worker, NULL));
    return guest_done();
}

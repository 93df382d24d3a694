/* A thread sleeps until a child ends, with more sleeps than recorded. SIGCHLD, without a handler, interrupts a
 * sleep that the log lacks.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_gettime, clock_nanosleep, clone, clone3, futex, wait4
 * source: ends and statuses of children; sleeps and timeouts
 */
#include "guest.h"

enum { READINGS = 60000 };

static volatile int is_ready;

static void *make_ready(void *unused)
{
    for (volatile unsigned i = 0; i < 60000000; i++)
        ;
    is_ready = 1;
    return unused;
}

/* Fewer readings where each is a stop. */
static void wait_busily(void)
{
    struct timespec now;
    pthread_t thread;
    is_ready = 0;
    CHECK(!pthread_create(&thread, NULL, make_ready, NULL));
    while (!is_ready)
        CHECK(!clock_gettime(CLOCK_MONOTONIC, &now));
    CHECK(!pthread_join(thread, NULL));
}

static void nap(void)
{
    struct timespec until;
    CHECK(!clock_gettime(CLOCK_MONOTONIC, &until));
    until.tv_nsec += 100000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    int error = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    if (error)
        printf("the nap failed: %s\n", strerror(error));
}

int main(void)
{
    int status, ended;
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        struct timespec now;
        wait_busily();
        for (int i = 0; i < READINGS; i++)
            CHECK(!clock_gettime(CLOCK_MONOTONIC, &now));
        _exit(5);
    }
    wait_busily();
    while (!(ended = waitpid(child, &status, WNOHANG)))
        nap();
    printf("child %d ended with %d\n", ended == child, WEXITSTATUS(status));
    return guest_done();
}

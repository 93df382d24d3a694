/* A computing child is killed. In a replay it is further ahead, at an unlogged call, and must not end before the
 * kill.
 *
 * run: racing
 * engine: native (threads)
 * shows: access, clock_nanosleep, clone, clone3, kill, pipe2, read, wait4
 * source: signals; sleeps and timeouts
 */
#include "guest.h"

static volatile int is_killed;
static int ends[2];

static void *look(void *none)
{
    char byte;
    CHECK(read(ends[0], &byte, 1) == 0);
    puts(is_killed ? "it ended once it was killed" : "it ended before it was killed");
    return none;
}

static void compute(void)
{
    volatile unsigned n = 0;
    for (unsigned i = 0; i < 40000000; i++)
        n += i;
}

int main(void)
{
    struct timespec first = {0, 300000000}, later = {0, 400000000};
    pthread_t thread;
    CHECK(pipe(ends) == 0);
    pid_t child = fork();
    if (child == 0) {
        nanosleep(&first, NULL);
        for (;;) {
            compute();
            access("in.txt", R_OK);
        }
    }
    close(ends[1]);
    CHECK(pthread_create(&thread, NULL, look, NULL) == 0);
    nanosleep(&later, NULL);
    is_killed = 1;
    CHECK(kill(child, SIGTERM) == 0 && pthread_join(thread, NULL) == 0);
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    printf("by signal %d\n", WTERMSIG(status));
    return guest_done();
}

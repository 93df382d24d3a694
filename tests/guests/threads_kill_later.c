#include "guest.h"
/* A child is killed as it computes. A replay, which does not repeat sleeps, has it further by then: at a call that it did
 * not come to. It must not end before it is killed, which a thread sees as the end of a pipe. */
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

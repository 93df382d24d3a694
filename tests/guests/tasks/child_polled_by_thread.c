/* A process checks whether one child still runs, as often as its pace has it, and waits for a second child after that.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_nanosleep, clone, clone3, kill, wait4
 * source: ends and statuses of children; which thread does a piece of work
 */
#include "guest.h"

#include <stdbool.h>

enum { WORK = 100 * 1000 * 1000 };
static volatile bool is_over;

static pid_t child(bool runs_on)
{
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (!pid) {
        while (runs_on)
            pause();
        _exit(5);
    }
    return pid;
}

static void *work(void *unused)
{
    for (volatile int i = 0; i < WORK; i++) {
    }
    is_over = true;
    return unused;
}

int main(void)
{
    pthread_t worker;
    pid_t first = child(true), second = child(false);
    CHECK(pthread_create(&worker, NULL, work, NULL) == 0);
    while (!is_over) {
        CHECK(waitpid(first, NULL, WNOHANG) == 0);
        usleep(3000);
    }
    CHECK(pthread_join(worker, NULL) == 0);
    printf("second ended with %d\n", WEXITSTATUS(wait_for(second)));
    CHECK(kill(first, SIGKILL) == 0 && wait(NULL) == first);
    return guest_done();
}

/* Whether a thread polls a pipe depends on its timing. The wait for a child that follows is another call.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_nanosleep, clone, clone3, pipe2, poll, wait4
 * source: poll, select, epoll; which thread does a piece of work
 */
#include "guest.h"
#include <poll.h>
#include <sys/wait.h>

static volatile int done;
static void *work(void *arg)
{
    pid_t child = fork();
    if (child == 0) {
        usleep(500000);                   /* a replay does not sleep */
        _exit(0);
    }
    waitpid(child, NULL, 0);
    done = 1;
    return arg;
}
int main(void)
{
    pthread_t thread;
    int quiet[2], ends[2];
    CHECK(pipe(quiet) == 0 && pipe(ends) == 0);
    CHECK(pthread_create(&thread, NULL, work, NULL) == 0);
    for (volatile int i = 0; i < 100000000; i++)
        ;
    int is_late = done;
    CHECK(pthread_join(thread, NULL) == 0);
    struct pollfd look = {quiet[0], POLLIN, 0}, wait = {ends[0], POLLIN, 0};
    if (is_late)
        CHECK(poll(&look, 1, 0) == 0);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0)
        _exit(0);
    close(ends[1]);
    printf("ready %d\n", poll(&wait, 1, 5000));
    printf("revents %d\n", wait.revents);
    CHECK(waitpid(child, NULL, 0) == child);
    return guest_done();
}

/* A child ends while its parent polls. In a replay it ends before, while the parent computes, and the poll must
 * still report it.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_nanosleep, clone, clone3, pipe2, poll
 * source: ends and statuses of children
 */
#include "guest.h"

static volatile sig_atomic_t ended;

static void on_end(int sig)
{
    (void)sig;
    ended = 1;
}

static void *nothing(void *unused)
{
    return unused;
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_end};
    pthread_t thread;
    int ends[2], n = 0;
    CHECK(pipe(ends) == 0 && sigaction(SIGCHLD, &action, NULL) == 0);
    CHECK(pthread_create(&thread, NULL, nothing, NULL) == 0 && pthread_join(thread, NULL) == 0);
    pid_t child = fork();
    if (child == 0) {
        usleep(400000);
        _exit(3);
    }
    for (volatile unsigned i = 0; i < 20000000; i++)
        ;
    struct pollfd ready = {.fd = ends[0], .events = POLLIN};
    while (!ended)
        n = poll(&ready, 1, -1);
    printf("poll said %d\n", n);
    CHECK(WEXITSTATUS(wait_for(child)) == 3);
    return guest_done();
}

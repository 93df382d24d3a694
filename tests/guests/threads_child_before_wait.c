/* A child ends as its parent, which has threads, polls: a replay, in which the child need not sleep, ends it before, while the
 * parent computes, and the parent must find that in its poll all the same. */
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

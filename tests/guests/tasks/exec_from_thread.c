/* A thread that is not the first one executes a program while others run.
 *
 * run: racing
 * live: yes
 * engine: native (threads)
 * shows: clone3, execve, getpid, gettid
 * source: fork, clone, exec
 */
#include "guest.h"

static char *again[] = {NULL, "again", NULL};
static void *idle(void *arg)
{
    for (;;)
        pause();
    return arg;
}
static void *start(void *arg)
{
    printf("thread replaces process, not leader %d\n", gettid() != getpid());
    execv(again[0], again);
    return arg;
}
int main(int argc, char **argv)
{
    if (argc > 1) {
        printf("again, leader %d, pid %d\n", gettid() == getpid(), getpid());
        return guest_done();
    }
    printf("pid %d\n", getpid());
    again[0] = argv[0];
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, idle, NULL) == 0 && pthread_create(&thread, NULL, start, NULL) == 0);
    pthread_join(thread, NULL);
    return 1;
}

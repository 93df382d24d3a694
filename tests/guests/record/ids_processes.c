/* Prints process, thread, group and session ids in a small family.
 *
 * engine: native (threads)
 * shows: clone, clone3, getpgid, getpgrp, getpid, getppid, getsid, gettid, setpgid, wait4
 * source: process, thread, group and session ids
 */
#include "guest.h"

static void show(const char *who)
{
    printf("%s: pid %d parent %d thread %d group %d session %d\n", who, getpid(), getppid(), gettid(), getpgrp(),
           getsid(0));
}
static void *in_thread(void *arg)
{
    show(arg);
    return NULL;
}
int main(void)
{
    show("first");
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, in_thread, "thread") == 0 && pthread_join(thread, NULL) == 0);
    for (int i = 0; i < 3; i++) {
        pid_t child = fork();
        if (child == 0) {
            show("child");
            CHECK(setpgid(0, 0) == 0);
            show("own group");
            pid_t grandchild = fork();
            if (grandchild == 0) {
                show("grandchild");
                _exit(4);
            }
            int status;
            pid_t got = wait(&status);
            printf("waited for %d: %d of %d\n", got, got == grandchild, WEXITSTATUS(status));
            _exit(i);
        }
        int status = wait_for(child);
        printf("child %d was %d\n", child, WEXITSTATUS(status));
    }
    printf("group of parent %d\n", getpgid(getppid()));
    return guest_done();
}

#include "guest.h"
/* A thread waits for a child that waits for its own child, in a call that never returns: another thread, whose wait with a limit is over
 * first, kills it.  It must not end before that. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int status = -1;
static void *reap(void *child)
{
    int now = wait_for(*(pid_t *)child);
    pthread_mutex_lock(&lock);
    status = now;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    struct timespec until;
    pthread_t reaper;
    pid_t child = fork();
    if (child == 0) {
        pid_t grandchild = fork();
        if (grandchild == 0) {
            nap_ms(900);
            _exit(3);
        }
        _exit(WEXITSTATUS(wait_for(grandchild)));
    }
    CHECK(child > 0 && pthread_create(&reaper, NULL, reap, &child) == 0);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 200000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&lock);
    while (status < 0 && pthread_cond_timedwait(&changed, &lock, &until) == 0) {
    }
    printf("%s\n", status < 0 ? "waits" : "early");
    pthread_mutex_unlock(&lock);
    kill(child, SIGKILL);
    CHECK(pthread_join(reaper, NULL) == 0);
    printf("killed by %d\n", WTERMSIG(status));
    return guest_done();
}

#include "guest.h"
/* A thread waits for a child that sleeps for long, another for that thread, with a limit, which is over first: in a replay the child's sleep is
 * over at once, and yet it must not end before that. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ended = -1;
static void *reap(void *child)
{
    int status = wait_for(*(pid_t *)child);
    pthread_mutex_lock(&lock);
    ended = WEXITSTATUS(status);
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
        nap_ms(900);
        _exit(3);
    }
    CHECK(child > 0 && pthread_create(&reaper, NULL, reap, &child) == 0);
    for (int round = 0; round < 2; round++) {
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 200000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_mutex_lock(&lock);
        while (ended < 0 && pthread_cond_timedwait(&changed, &lock, &until) == 0) {
        }
        printf("%s\n", ended < 0 ? "not yet" : "early");
        pthread_mutex_unlock(&lock);
    }
    CHECK(pthread_join(reaper, NULL) == 0);
    printf("%d\n", ended);
    return guest_done();
}

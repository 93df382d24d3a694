#include "guest.h"
/* As threads_kill_waiting.c, where the thread whose wait has a limit has read the clock often, so that readings come into the log later,
 * and computes between its reading and its wait: the wait lasts until what it read says. */
enum { OFTEN = 4000, ROUNDS = 60000000, LIMIT_NS = 200000000 };
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
    for (int i = 0; i < OFTEN; i++)
        clock_gettime(CLOCK_REALTIME, &until);
    for (volatile int i = 0; i < ROUNDS; i++) {
    }
    until.tv_nsec += LIMIT_NS;
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

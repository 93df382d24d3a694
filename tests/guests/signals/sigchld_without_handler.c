/* A child ends during a sleep and a lock wait, without a handler. The kernel continues both, and no later sleep
 * reports that.
 *
 * shows: clock_gettime, clock_nanosleep, clone, futex
 * source: ends and statuses of children
 */
#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static int nap(int ms)
{
    struct timespec length = {0, ms * 1000000L};
    return nanosleep(&length, NULL) ? errno : 0;
}

static int wait_until(int ms)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += ms * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&lock);
    int result = pthread_cond_timedwait(&never, &lock, &until);
    pthread_mutex_unlock(&lock);
    return result;
}

static pid_t child(void)
{
    pid_t made = fork();
    if (!made) {
        nap(20);
        _exit(3);
    }
    return made;
}

int main(void)
{
    for (int i = 0; i < 3; i++) {
        pid_t first = child();
        int slept = nap(60);
        pid_t second = child();
        int waited = wait_until(60);
        printf("%d %s, %d\n", slept, waited == ETIMEDOUT ? "over" : "not over", nap(1));
        CHECK(WEXITSTATUS(wait_for(first)) == 3 && WEXITSTATUS(wait_for(second)) == 3);
    }
    return guest_done();
}

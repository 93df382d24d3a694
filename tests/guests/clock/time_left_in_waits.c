/* Waits with timeouts end before these. The time that each took is printed, and must be the same in a replay.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_gettime, clone3, futex
 * source: clocks, also by the vDSO; sleeps and timeouts
 */
#include "guest.h"

enum { ROUNDS = 12, LIMIT_MS = 1000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static int asked, answered;

static void *compute(void *unused)
{
    pthread_mutex_lock(&lock);
    for (int i = 1; i <= ROUNDS; i++) {
        while (asked < i)
            pthread_cond_wait(&changed, &lock);
        pthread_mutex_unlock(&lock);
        volatile unsigned sum = 0;
        for (unsigned n = 0; n < 8000000; n++)
            sum += n;
        pthread_mutex_lock(&lock);
        answered = i;
        pthread_cond_broadcast(&changed);
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

static long now_us(void)
{
    struct timespec t;
    CHECK(!clock_gettime(CLOCK_MONOTONIC, &t));
    return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void ask(int round)
{
    struct timespec until;
    long before = now_us();
    pthread_mutex_lock(&lock);
    asked = round;
    pthread_cond_broadcast(&changed);
    while (answered < round) {
        CHECK(!clock_gettime(CLOCK_MONOTONIC, &until));
        until.tv_nsec += LIMIT_MS * 1000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&changed, &lock, &until);
    }
    pthread_mutex_unlock(&lock);
    long after = now_us();
    printf("round %d took %ld us\n", round, after - before);
}

int main(void)
{
    pthread_condattr_t by_monotonic;
    pthread_t thread;
    CHECK(!pthread_condattr_init(&by_monotonic) && !pthread_condattr_setclock(&by_monotonic, CLOCK_MONOTONIC));
    CHECK(!pthread_cond_init(&changed, &by_monotonic) && !pthread_create(&thread, NULL, compute, NULL));
    for (int round = 1; round <= ROUNDS; round++)
        ask(round);
    CHECK(!pthread_join(thread, NULL));
    return guest_done();
}

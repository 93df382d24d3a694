/* Waits until a time of day computed by gettimeofday. In a replay that time has passed, and yet it waits.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_nanosleep, clone3, futex, gettimeofday
 * source: sleeps and timeouts; clocks, also by the vDSO
 */
#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t come = PTHREAD_COND_INITIALIZER;
static int turns;
static void *turn(void *none)
{
    for (int i = 0; i < 3; i++) {
        usleep(100000);
        CHECK(pthread_mutex_lock(&lock) == 0);
        turns++;
        CHECK(pthread_cond_signal(&come) == 0 && pthread_mutex_unlock(&lock) == 0);
    }
    return none;
}
static int wait_until_turn(int wanted, int ms)
{
    struct timeval now;
    int failed = 0;
    CHECK(gettimeofday(&now, NULL) == 0);
    long long us = now.tv_usec + 1000LL * ms;
    struct timespec until = {now.tv_sec + us / 1000000, us % 1000000 * 1000};
    CHECK(pthread_mutex_lock(&lock) == 0);
    while (turns < wanted && !failed)
        failed = pthread_cond_timedwait(&come, &lock, &until);
    CHECK(pthread_mutex_unlock(&lock) == 0);
    return failed;
}
int main(void)
{
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, turn, NULL) == 0);
    for (int i = 1; i <= 3; i++)
        printf("turn %d: %s\n", i, wait_until_turn(i, 1000) ? "too late" : "in time");
    printf("a turn that nobody takes: %s\n", wait_until_turn(4, 50) == ETIMEDOUT ? "too late" : "in time");
    CHECK(pthread_join(thread, NULL) == 0);
    usleep(1000000);
    return guest_done();
}

/* A timerfd wakes a thread until the main thread ends it. How often depends on how long the computation takes.
 *
 * run: racing
 * engine: native (threads)
 * shows: clone3, futex, read, timerfd_create, timerfd_settime
 * source: timers; which thread does a piece of work
 */
#include "guest.h"
#include <pthread.h>
#include <sys/timerfd.h>

static int timer;
static volatile int ends;
static void *tick(void *unused)
{
    uint64_t times;
    while (!ends)
        CHECK(read(timer, &times, sizeof times) == sizeof times);
    return unused;
}
int main(void)
{
    struct itimerspec each = {{0, 10000000}, {0, 10000000}};
    pthread_t ticker;
    timer = timerfd_create(CLOCK_MONOTONIC, 0);
    CHECK(timer >= 0 && timerfd_settime(timer, 0, &each, NULL) == 0);
    CHECK(pthread_create(&ticker, NULL, tick, NULL) == 0);
    for (volatile long i = 0; i < 30000000; i++)
        ;
    ends = 1;
    CHECK(pthread_join(ticker, NULL) == 0);
    return guest_done();
}

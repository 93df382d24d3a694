/* A thread sets a timer and waits for it until the main thread ends it. How often depends on the computation.
 *
 * run: racing
 * engine: native (threads)
 * shows: clone3, futex, read, timerfd_create, timerfd_settime
 * source: timers; which thread does a piece of work
 */
#include "guest.h"
#include <sys/timerfd.h>

static int timer;
static volatile int ends;
static void *tick(void *unused)
{
    uint64_t times;
    while (!ends) {
        struct itimerspec once = {{0, 0}, {0, 3000000}};
        CHECK(timerfd_settime(timer, 0, &once, NULL) == 0);
        CHECK(read(timer, &times, sizeof times) == sizeof times);
    }
    return unused;
}
int main(void)
{
    pthread_t ticker;
    timer = timerfd_create(CLOCK_MONOTONIC, 0);
    CHECK(timer >= 0 && pthread_create(&ticker, NULL, tick, NULL) == 0);
    for (volatile long i = 0; i < 20000000; i++)
        ;
    ends = 1;
    CHECK(pthread_join(ticker, NULL) == 0);
    return guest_done();
}

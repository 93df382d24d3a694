/* A thread reads the time at one of two places, by a race. The time never goes back.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_gettime, clock_nanosleep, clone3, futex
 * source: clocks, also by the vDSO
 */
#include "guest.h"

enum { ROUNDS = 300 };
static volatile int flips, ends;
static void *flip(void *unused)
{
    while (!ends) {
        flips++;
        nap_ms(1);
    }
    return unused;
}
int main(void)
{
    pthread_t other;
    struct timespec here, there, *told, last = {0, 0};
    CHECK(pthread_create(&other, NULL, flip, NULL) == 0);
    for (int i = 0; i < ROUNDS; i++) {
        told = flips & 1 ? &here : &there;
        CHECK(clock_gettime(CLOCK_MONOTONIC, told) == 0);
        CHECK(told->tv_sec > last.tv_sec || (told->tv_sec == last.tv_sec && told->tv_nsec >= last.tv_nsec));
        last = *told;
        for (volatile int k = 0; k < 20000; k++)
            ;
    }
    ends = 1;
    CHECK(pthread_join(other, NULL) == 0);
    return guest_done();
}

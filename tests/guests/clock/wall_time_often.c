/* One thread reads the time of day as often as it can. The other thread's reads are its own.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_gettime, clone3, futex
 * source: clocks, also by the vDSO
 */
#include "guest.h"

enum { ROUNDS = 40 };
static struct timespec told, seen;
static volatile int is_done;
static void compute(int rounds)
{
    for (volatile int i = 0; i < rounds; i++)
        ;
}
static void *look(void *unused)
{
    while (!is_done) {
        CHECK(clock_gettime(CLOCK_REALTIME, &seen) == 0);
        compute(20000);
    }
    return unused;
}
int main(void)
{
    pthread_t looker;
    CHECK(pthread_create(&looker, NULL, look, NULL) == 0);
    for (int i = 0; i < ROUNDS; i++) {
        compute(500000);
        CHECK(clock_gettime(CLOCK_REALTIME, &told) == 0);
        printf("%ld.%09ld\n", (long)told.tv_sec, told.tv_nsec);
    }
    is_done = 1;
    CHECK(pthread_join(looker, NULL) == 0);
    return guest_done();
}

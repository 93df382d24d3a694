#include "guest.h"
/* One thread asks for the time of day over and over, as often as it comes to; what the other is told is its own. */
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

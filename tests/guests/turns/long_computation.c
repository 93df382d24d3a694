/* A thread computes long without a call, until another thread lets it end. That one gets its turn only once the first is
 * interrupted in its computation.
 *
 * run: serialized, long
 * engine: native (threads)
 * shows: clock_nanosleep, clone3, futex
 * source: order of threads, one at a time
 */
#include "guest.h"

static volatile int enough;
static void *compute(void *arg)
{
    unsigned long n = 0;
    while (!enough)
        __asm__ volatile("incq %%r12; addq %%r12, %0" : "+r"(n) : : "r12", "cc");
    printf("computed\n");
    return arg;
}
int main(void)
{
    pthread_t thread;
    struct timespec moment = {0, 1000000};
    CHECK(pthread_create(&thread, NULL, compute, NULL) == 0);
    CHECK(nanosleep(&moment, NULL) == 0);
    printf("enough\n");
    enough = 1;
    CHECK(pthread_join(thread, NULL) == 0);
    return guest_done();
}

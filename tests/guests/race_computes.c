#include "guest.h"
/* A thread computes for long without a call, in a loop that does not come back to the same registers, until another says
 * that it is enough.  That one has its turn only once the first has been interrupted in the midst of it. */
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

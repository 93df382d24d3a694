/* Two threads read the counter at one place. Rex patches the place while the other thread is stopped there.
 *
 * engine: native (threads)
 * shows: clone3, futex, rdtsc
 * source: time-stamp counter
 */
#include "guest.h"
#include <stdatomic.h>

enum { PLACES = 30, TIMES = 6 };
static atomic_int come;
static uint64_t sums[2];

#define READ(place) static __attribute__((noinline)) uint64_t read_##place(void) \
{ \
    uint64_t a, d; \
    __asm__ volatile("rdtsc\n shl $32, %1\n" : "=a"(a), "=d"(d)); \
    return (a | d) + place; \
}
#define TEN(tens) READ(tens##0) READ(tens##1) READ(tens##2) READ(tens##3) READ(tens##4) READ(tens##5) READ(tens##6) READ(tens##7) \
    READ(tens##8) READ(tens##9)
#define NAMES(tens) read_##tens##0, read_##tens##1, read_##tens##2, read_##tens##3, read_##tens##4, read_##tens##5, read_##tens##6, \
    read_##tens##7, read_##tens##8, read_##tens##9
TEN(1) TEN(2) TEN(3)
static uint64_t (*const reads[PLACES])(void) = {NAMES(1), NAMES(2), NAMES(3)};

static void meet(int *met)
{
    atomic_fetch_add(&come, 1);
    for (*met += 2; atomic_load(&come) < *met; )
        ;
}

static void *run(void *arg)
{
    intptr_t me = (intptr_t)arg;
    uint64_t last = 0;
    for (int i = 0, met = 0; i < PLACES; i++)
        for (int k = 0; k < TIMES; k++) {
            if (!me && !k)
                reads[i]();              /* an odd number, so that the eighth is one of two */
            meet(&met);
            uint64_t now = reads[i]();
            CHECK(now > last);
            sums[me] = sums[me] * 31 + now;
            last = now;
        }
    return NULL;
}

int main(void)
{
    pthread_t other;
    CHECK(pthread_create(&other, NULL, run, (void *)1) == 0);
    run(NULL);
    CHECK(pthread_join(other, NULL) == 0);
    printf("%llu %llu\n", (unsigned long long)sums[0], (unsigned long long)sums[1]);
    return guest_done();
}

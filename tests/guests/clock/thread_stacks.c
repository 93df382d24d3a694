/* Threads start threads that read the clock. Where their stacks lie depends on who was first.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_gettime, clone3, futex
 * source: clocks, also by the vDSO
 */
#include "guest.h"

enum { MAKERS = 4, ROUNDS = 12 };
static long read_at[MAKERS][ROUNDS];

static void *reads_clock(void *into)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    *(long *)into = (long)t.tv_sec * 1000000000 + t.tv_nsec;
    return NULL;
}

static void *makes_threads(void *number)
{
    int maker = (int)(intptr_t)number;
    for (int i = 0; i < ROUNDS; i++) {
        pthread_t thread;
        for (volatile int k = 0; k < (maker * 7919 + i * 104729) % 50000; k++) {
        }
        CHECK(pthread_create(&thread, NULL, reads_clock, &read_at[maker][i]) == 0 && pthread_join(thread, NULL) == 0);
    }
    return NULL;
}

int main(void)
{
    pthread_t makers[MAKERS];
    for (int i = 0; i < MAKERS; i++)
        CHECK(pthread_create(&makers[i], NULL, makes_threads, (void *)(intptr_t)i) == 0);
    for (int i = 0; i < MAKERS; i++)
        CHECK(pthread_join(makers[i], NULL) == 0);
    for (int i = 0; i < MAKERS * ROUNDS; i++)
        printf("maker %d, thread %d: %ld\n", i / ROUNDS, i % ROUNDS, read_at[i / ROUNDS][i % ROUNDS]);
    return guest_done();
}

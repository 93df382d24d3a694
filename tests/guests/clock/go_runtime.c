/* A runtime reads the clock by whichever thread comes first, between the program's own reads. Like Go's code, it
 * has no tables for exceptions.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_gettime, clone3, futex, sched_yield
 * source: clocks, also by the vDSO
 */
#include "guest.h"
__asm__(".cfi_sections .debug_frame");   /* as Go's code, it has no tables for exceptions */
#ifndef READINGS
#define READINGS 15
#define ASK(result, clock, t) __asm__ volatile("syscall" : "=a"(result) : "a"(SYS_clock_gettime), "D"(clock), "S"(t) : "rcx", "r11", "memory")
#endif
enum { THREADS = 3 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int64_t reading[READINGS];
static int made;
#define KEEPS_FRAME __attribute__((noinline, optimize("no-omit-frame-pointer", "no-optimize-sibling-calls")))
static KEEPS_FRAME int64_t look(int clock)
{
    struct timespec t;
    long result;
    ASK(result, clock, &t);
    CHECK(result == 0);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}
static KEEPS_FRAME int64_t look_for_program(void)
{
    return look(CLOCK_REALTIME) + 0;
}
static KEEPS_FRAME int64_t look_for_runtime(void)
{
    return look(CLOCK_REALTIME) + 1;
}
static KEEPS_FRAME void *run(void *arg)
{
    for (int i = 0, last = 0; !last; i++) {
        for (int k = 0; k < (int)(intptr_t)arg + i % 3; k++)
            CHECK(look_for_runtime() > 0);
        pthread_mutex_lock(&lock);
        if (made < READINGS)
            reading[made++] = look_for_program();
        last = made == READINGS;
        pthread_mutex_unlock(&lock);
        sched_yield();
    }
    return arg;
}
int main(void)
{
    pthread_t thread[THREADS];
    for (intptr_t i = 0; i < THREADS; i++)
        CHECK(pthread_create(&thread[i], NULL, run, (void *)i) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(thread[i], NULL) == 0);
    for (int i = 0; i < READINGS; i++)
        printf("%lld\n", (long long)reading[i]);
    return guest_done();
}

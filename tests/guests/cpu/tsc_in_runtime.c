/* A runtime reads the time-stamp counter and the time of day as often as it waits. The program's own reads are as
 * recorded.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_nanosleep, clone3, gettimeofday, rdtsc, sched_yield
 * source: time-stamp counter; clocks, also by the vDSO
 */
#include "guest.h"
#include <stdatomic.h>
#include <x86intrin.h>

enum { ROUNDS = 6 };
static atomic_int done;
static unsigned long long waited;
static struct timeval since;
static void *work(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        nap_ms(3 + 4 * (i % 2));
        atomic_fetch_add(&done, 1);
    }
    return unused;
}
__attribute__((noinline)) static void wait_until(int round)
{
    while (atomic_load(&done) <= round) {
        waited = __rdtsc();
        CHECK(syscall(SYS_gettimeofday, &since, NULL) == 0);
        sched_yield();
        usleep(100);
    }
}
__attribute__((noinline)) static unsigned long long measured(void)
{
    unsigned long long start = __rdtsc();
    struct timeval now;
    CHECK(syscall(SYS_gettimeofday, &now, NULL) == 0);
    printf("%ld.%06ld, counter %llu", now.tv_sec, now.tv_usec, start);
    return __rdtsc() - start;
}
int main(void)
{
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, work, NULL) == 0);
    for (int i = 0; i < ROUNDS; i++) {
        wait_until(i);
        printf(", took %llu\n", measured());
    }
    CHECK(waited && pthread_join(thread, NULL) == 0);
    return guest_done();
}

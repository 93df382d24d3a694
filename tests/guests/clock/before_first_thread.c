/* A process that shares memory reads clock and counter in one function, before its first thread and after.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_gettime, clone, clone3, rdtsc
 * source: clocks, also by the vDSO; time-stamp counter
 */
#include "guest.h"

static void __attribute__((noinline)) show_times(const char *when)
{
    struct timespec t;
    CHECK(clock_gettime(CLOCK_MONOTONIC, &t) == 0);
    printf("%s: %ld.%09ld, %llu\n", when, (long)t.tv_sec, t.tv_nsec, (unsigned long long)__builtin_ia32_rdtsc());
}

static void *does_nothing(void *a)
{
    return a;
}

int main(void)
{
    volatile int *shared = shared_page();
    pid_t worker = fork();
    if (!worker) {
        *shared = 1;
        exit(0);
    }
    wait_for(worker);
    CHECK(*shared == 1);
    for (int i = 0; i < 3; i++) {
        show_times("before a thread");
        show_times("again");
        run_threads(1, does_nothing);
        show_times("after");
    }
    return guest_done();
}

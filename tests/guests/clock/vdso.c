/* Reads clocks by the vDSO, without a call to the kernel.
 *
 * shows: clock_getres, clock_gettime, gettimeofday, time
 * source: clocks, also by the vDSO
 */
#include "guest.h"

int main(void)
{
    clockid_t clocks[] = {CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_BOOTTIME, CLOCK_TAI, CLOCK_REALTIME_COARSE,
                          CLOCK_MONOTONIC_COARSE, CLOCK_MONOTONIC_RAW, CLOCK_PROCESS_CPUTIME_ID,
                          CLOCK_THREAD_CPUTIME_ID};
    for (int round = 0; round < 3; round++)
        for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
            struct timespec now, step;
            CHECK(clock_gettime(clocks[i], &now) == 0 && clock_getres(clocks[i], &step) == 0);
            printf("clock %d: %ld.%09ld, step %ld\n", clocks[i], (long)now.tv_sec, now.tv_nsec, step.tv_nsec);
        }
    struct timeval now;
    CHECK(gettimeofday(&now, NULL) == 0);
    printf("gettimeofday %ld.%06ld time %ld clock %ld cpu %d\n", (long)now.tv_sec, (long)now.tv_usec,
           (long)time(NULL), (long)clock(), sched_getcpu());
    return guest_done();
}

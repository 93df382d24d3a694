/* A program that handles SIGTRAP is interrupted by a timer wherever it reads the time.
 *
 * shows: clock_gettime, rt_sigaction, setitimer, tgkill
 * source: signals; clocks, also by the vDSO
 */
#include "guest.h"

static volatile int ticks, traps;
static void on_tick(int sig) { (void)sig; ticks++; }
static void on_trap(int sig) { (void)sig; traps++; }
int main(void)
{
    struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    struct timespec t;
    int64_t sum = 0;
    signal(SIGALRM, on_tick);
    signal(SIGTRAP, on_trap);
    CHECK(setitimer(ITIMER_REAL, &often, NULL) == 0);
    for (int i = 0; i < 10000; i++) {
        CHECK(clock_gettime(CLOCK_REALTIME, &t) == 0);
        sum = sum * 31 + t.tv_nsec;
    }
    CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
    CHECK(raise(SIGTRAP) == 0 && traps == 1);
    printf("%lld after %d\n", (long long)sum, ticks > 0);
    return guest_done();
}

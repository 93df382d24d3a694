/* A timer's signals arrive in a loop that only reads the time-stamp counter. Each is delivered after the same
 * reading as recorded.
 *
 * engine: native (signals between calls)
 * shows: rdtsc, rt_sigaction, setitimer
 * source: time-stamp counter; signals
 */
#include "guest.h"
#include <x86intrin.h>

static volatile sig_atomic_t handled;
static unsigned long long in_handler;

static void handler(int sig)
{
    unsigned processor;
    in_handler = in_handler * 31 + __rdtsc() + __rdtscp(&processor) + (unsigned)sig;
    handled++;
}

int main(void)
{
    struct itimerval often = {{0, 4000}, {0, 4000}}, never = {{0, 0}, {0, 0}};
    unsigned long long last = 0, sum = 0, rounds = 0;
    signal(SIGALRM, handler);
    CHECK(!setitimer(ITIMER_REAL, &often, NULL));
    for (; handled < 8; rounds++) {
        unsigned long long now = __rdtsc();
        CHECK(now > last);
        sum = sum * 31 + now;
        last = now;
    }
    CHECK(!setitimer(ITIMER_REAL, &never, NULL));
    printf("%llu readings: %llu; in signals: %llu\n", rounds, sum, in_handler);
    return guest_done();
}

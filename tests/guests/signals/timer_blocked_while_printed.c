/* A timer ticks all the time. Its signal is blocked while the handler's count is read and printed.
 *
 * engine: native (signals between calls)
 * shows: rt_sigaction, rt_sigprocmask, setitimer
 * source: timers; signals
 */
#include "guest.h"

static volatile int ticks;

static void count(int s)
{
    (void)s;
    ticks++;
}

int main(void)
{
    struct sigaction by = {.sa_handler = count, .sa_flags = SA_RESTART};
    struct itimerval timer = {{0, 25000}, {0, 25000}};
    sigset_t alarm;
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    CHECK(!sigaction(SIGALRM, &by, NULL));
    CHECK(!setitimer(ITIMER_REAL, &timer, NULL));
    for (int part = 1; part <= 8; part++) {
        for (volatile unsigned long i = 0; i < 36000000ul + 2000000ul * part; i++)
            ;
        CHECK(!sigprocmask(SIG_BLOCK, &alarm, NULL));
        printf("%d ticks by part %d\n", ticks, part);
        CHECK(!sigprocmask(SIG_UNBLOCK, &alarm, NULL));
    }
    return guest_done();
}

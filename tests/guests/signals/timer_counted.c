/* A timer's signals arrive during long computation and are counted. The count is printed only afterwards.
 *
 * engine: native (signals between calls)
 * shows: rt_sigaction, setitimer
 * source: timers; signals
 */
#include "guest.h"

static volatile int ticks;

static void count(int s)
{
    (void)s;
    ticks++;
}

/* Some 40 ms, of which the timer has the first third. */
static void compute(void)
{
    for (volatile unsigned long i = 0; i < 45000000; i++)
        ;
}

static void tick_by(int timer, int sig)
{
    struct sigaction by = {.sa_handler = count, .sa_flags = SA_RESTART};
    struct itimerval once = {{0, 0}, {0, 8000}};
    CHECK(!sigaction(sig, &by, NULL));
    for (int part = 1; part <= 3; part++) {
        CHECK(!setitimer(timer, &once, NULL));
        compute();
        printf("%d ticks of timer %d after part %d\n", ticks, timer, part);
    }
}

int main(void)
{
    tick_by(ITIMER_REAL, SIGALRM);
    tick_by(ITIMER_VIRTUAL, SIGVTALRM);
    tick_by(ITIMER_PROF, SIGPROF);
    return guest_done();
}

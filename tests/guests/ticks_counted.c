/* Ticks of timers come in the midst of long computation and are counted: what is said after each part of it tells how many came by then. */
#include "guest.h"

static volatile int ticks;

static void count(int s)
{
    (void)s;
    ticks++;
}

static void compute(unsigned long rounds)
{
    for (volatile unsigned long i = 0; i < rounds; i++)
        ;
}

static void tick_by(int timer, int sig)
{
    struct sigaction by = {.sa_handler = count, .sa_flags = SA_RESTART};
    struct itimerval often = {{0, 12000}, {0, 12000}}, never = {{0, 0}, {0, 0}};
    CHECK(!sigaction(sig, &by, NULL) && !setitimer(timer, &often, NULL));
    for (unsigned long part = 1; part <= 8; part++) {
        compute(part * 6000000);
        printf("%d ticks of timer %d after part %lu\n", ticks, timer, part);
    }
    CHECK(!setitimer(timer, &never, NULL));
}

int main(void)
{
    tick_by(ITIMER_REAL, SIGALRM);
    tick_by(ITIMER_VIRTUAL, SIGVTALRM);
    tick_by(ITIMER_PROF, SIGPROF);
    return guest_done();
}

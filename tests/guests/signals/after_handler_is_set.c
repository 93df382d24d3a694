/* A signal that comes in the midst of computation, long after its handler was set; before that the program computed, too, and made
 * no call.
 *
 * shows: rt_sigaction
 * source: signals
 */
#include "guest.h"

static volatile sig_atomic_t came;
static volatile unsigned long sum;

static void handle(int sig)
{
    came = sig;
}

static void compute(unsigned long steps)
{
    for (unsigned long i = 0; i < steps && !came; i++)
        sum += i;
}

int main(void)
{
    struct itimerval soon = {.it_value.tv_usec = 250000};
    struct sigaction action = {.sa_handler = handle};
    setitimer(ITIMER_PROF, &soon, NULL);
    compute(60000000);
    sigaction(SIGPROF, &action, NULL);
    compute(20000000000);
    printf("came %d\n", came);
    return guest_done();
}

/* A timer ticks while the program only queries and resets its signal mask, as shells do. Such a call is no
 * delivery point.
 *
 * shows: rt_sigaction, rt_sigprocmask, setitimer
 * source: signals
 */
#include "guest.h"

static volatile int ticks;

static void count(int sig)
{
    (void)sig;
    ticks++;
}

int main(void)
{
    struct sigaction by = {.sa_handler = count, .sa_flags = SA_RESTART};
    struct itimerval timer = {{0, 10000}, {0, 10000}};
    CHECK(!sigaction(SIGALRM, &by, NULL));
    CHECK(!setitimer(ITIMER_REAL, &timer, NULL));
    for (int part = 1; part <= 5; part++) {
        sigset_t now;
        while (ticks < part) {
            CHECK(!sigprocmask(SIG_BLOCK, NULL, &now));
            CHECK(!sigprocmask(SIG_SETMASK, &now, NULL));
        }
        printf("part %d\n", part);
        fflush(stdout);
    }
    return guest_done();
}

/* A timer's signals arrive while the program reads the time and works on files.
 *
 * engine: native (signals between calls)
 * shows: clock_gettime, openat, rt_sigaction, setitimer
 * source: timers; signals
 */
#include "guest.h"

static volatile int alarms;
static void count(int s)
{
    (void)s;
    alarms++;
}
int main(void)
{
    struct sigaction a = {.sa_handler = count, .sa_flags = SA_RESTART};
    struct itimerval often = {{0, 3000}, {0, 3000}}, never = {{0, 0}, {0, 0}};
    sigaction(SIGALRM, &a, NULL);
    CHECK(setitimer(ITIMER_REAL, &often, NULL) == 0);
    int round = 0;
    while (alarms < 10) {
        struct timespec t;
        clock_gettime(CLOCK_MONOTONIC, &t);
        if (round++ % 100 == 0)
            put_file("state", "written often");
    }
    CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
    printf("alarms %d after %d rounds\n", alarms, round);
    return guest_done();
}

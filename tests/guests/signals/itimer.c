/* Interval timers send signals among other calls.
 *
 * engine: native (signals between calls)
 * shows: alarm, getitimer, pause, rt_sigaction, setitimer
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
    struct itimerval often = {{0, 10000}, {0, 10000}}, now, never = {{0, 0}, {0, 0}};
    sigaction(SIGALRM, &a, NULL);
    CHECK(setitimer(ITIMER_REAL, &often, NULL) == 0);
    int seen = 0;
    while (alarms < 5) {
        pause();
        if (alarms != seen) {
            seen = alarms;
            CHECK(getitimer(ITIMER_REAL, &now) == 0);
            printf("alarm %d, interval %ld, %ld us left\n", seen, (long)now.it_interval.tv_usec,
                   (long)now.it_value.tv_usec);
        }
    }
    CHECK(setitimer(ITIMER_REAL, &never, &now) == 0);
    printf("stopped with %ld us left\n", (long)now.it_value.tv_usec);
    CHECK(alarm(100) == 0);
    printf("alarm had %u s left\n", alarm(0));
    return guest_done();
}

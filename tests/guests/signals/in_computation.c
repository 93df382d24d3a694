/* Signals arrive during computation. The handler prints what it sees there, and where the computation continues.
 *
 * engine: native (signals between calls)
 * shows: clock_gettime, clock_nanosleep, clone, openat, rt_sigaction, setitimer
 * source: signals
 */
#include "guest.h"

static volatile unsigned long steps;
static volatile int ends, alarms;
static unsigned long seen[64];
static void on_child(int s)
{
    (void)s;
    seen[ends++] = steps;
}
static void on_alarm(int s)
{
    (void)s;
    seen[32 + alarms++ % 32] = steps;
}
static void compute(void)
{
    for (int i = 0; i < 300000; i++)
        steps++;
}
int main(void)
{
    struct sigaction child = {.sa_handler = on_child, .sa_flags = SA_RESTART}, ring = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    struct itimerval often = {{0, 7000}, {0, 7000}}, never = {{0, 0}, {0, 0}};
    struct timespec now;
    CHECK(sigaction(SIGCHLD, &child, NULL) == 0 && sigaction(SIGALRM, &ring, NULL) == 0);
    CHECK(setitimer(ITIMER_REAL, &often, NULL) == 0);
    for (int k = 0; k < 5; k++) {
        int begun = ends;
        pid_t pid = fork();
        if (pid == 0) {
            nap_ms(5);
            _exit(k);
        }
        while (ends == begun) {               /* now and then a call of each kind: traced, not traced */
            compute();
            if (k % 2)
                clock_gettime(CLOCK_MONOTONIC, &now);
            else
                put_file("state", "plain");
        }
        CHECK(wait_for(pid) == k << 8);
    }
    CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
    printf("%lu steps; children ended at", steps);
    for (int i = 0; i < ends; i++)
        printf(" %lu", seen[i]);
    printf("; alarms at");
    for (int i = 0; i < alarms && i < 32; i++)
        printf(" %lu", seen[32 + i]);
    printf("\n");
    return guest_done();
}

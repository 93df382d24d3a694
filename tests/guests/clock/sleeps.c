/* Sleeps of every kind: relative, absolute and interrupted, with clock reads around them.
 *
 * shows: clock_gettime, clock_nanosleep, poll, rt_sigaction, setitimer
 * source: sleeps and timeouts; clocks, also by the vDSO
 */
#include "guest.h"

static volatile int rang;
static void ring(int s) { rang = s; }
static long ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}
int main(void)
{
    long start = ms();
    struct timespec t = {0, 20000000}, rest = {0, 0};
    CHECK(nanosleep(&t, NULL) == 0 && usleep(20000) == 0);
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_nsec += 20000000;
    if (t.tv_nsec >= 1000000000) {
        t.tv_sec++;
        t.tv_nsec -= 1000000000;
    }
    CHECK(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == 0);
    printf("took %ld ms\n", ms() - start);
    CHECK(ms() - start >= 60);
    struct sigaction a = {.sa_handler = ring};
    sigaction(SIGALRM, &a, NULL);
    ualarm(20000, 0);
    t = (struct timespec){5, 0};
    CHECK(nanosleep(&t, &rest) == -1 && errno == EINTR && rang == SIGALRM);
    printf("interrupted, %ld.%09ld s were left\n", (long)rest.tv_sec, rest.tv_nsec);
    printf("poll of nothing %d\n", poll(NULL, 0, 10));
    return guest_done();
}

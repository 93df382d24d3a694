/* POSIX timers: a queued signal with a value, overruns, and the time left.
 *
 * shows: clock_nanosleep, rt_sigprocmask, rt_sigtimedwait, timer_create, timer_delete, timer_getoverrun, timer_gettime, timer_settime
 * source: timers; signals
 */
#include "guest.h"

int main(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN + 1);
    CHECK(sigprocmask(SIG_BLOCK, &set, NULL) == 0);
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 1, .sigev_value.sival_int = 42};
    timer_t timer;
    CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    struct itimerspec often = {{0, 5000000}, {0, 5000000}}, left;
    CHECK(timer_settime(timer, 0, &often, NULL) == 0);
    for (int i = 0; i < 3; i++) {
        siginfo_t info;
        CHECK(sigwaitinfo(&set, &info) == SIGRTMIN + 1);
        printf("signal %d value %d code %d overrun %d\n", info.si_signo, info.si_value.sival_int, info.si_code,
               timer_getoverrun(timer));
        if (i == 1)
            nap_ms(30);
    }
    CHECK(timer_gettime(timer, &left) == 0);
    printf("left %ld ns\n", left.it_value.tv_nsec);
    CHECK(timer_delete(timer) == 0);
    return guest_done();
}

/* Waits for a signal with a timeout.
 *
 * shows: clock_nanosleep, clone, getppid, kill, rt_sigprocmask, rt_sigtimedwait, tgkill
 * source: signals
 */
#include "guest.h"

int main(void)
{
    sigset_t set;
    siginfo_t info;
    struct timespec short_time = {0, 10000000}, long_time = {5, 0};
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    sigaddset(&set, SIGTERM);
    CHECK(sigprocmask(SIG_BLOCK, &set, NULL) == 0);
    CHECK(sigtimedwait(&set, &info, &short_time) == -1 && errno == EAGAIN);
    puts("nothing came");
    pid_t child = fork();
    if (child == 0) {
        nap_ms(10);
        kill(getppid(), SIGUSR2);
        _exit(0);
    }
    CHECK(sigtimedwait(&set, &info, &long_time) == SIGUSR2);
    printf("signal %d from %d of user %d\n", info.si_signo, info.si_pid, info.si_uid);
    CHECK(info.si_pid == child && wait_for(child) == 0);
    CHECK(raise(SIGTERM) == 0);
    int got;
    CHECK(sigwait(&set, &got) == 0);
    printf("sigwait %d\n", got);
    return guest_done();
}

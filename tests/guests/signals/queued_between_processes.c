/* Two processes send each other queued signals with values, in turn.
 *
 * shows: clone, getppid, kill, rt_sigprocmask, rt_sigqueueinfo, rt_sigtimedwait
 * source: signals
 */
#include "guest.h"

int main(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    CHECK(sigprocmask(SIG_BLOCK, &set, NULL) == 0);
    pid_t child = fork(), other = child ? child : getppid();
    for (int i = 0; i < 10; i++) {
        siginfo_t info;
        if (child) {
            union sigval value = {.sival_int = i};
            CHECK(sigqueue(other, SIGRTMIN, value) == 0);
        }
        CHECK(sigwaitinfo(&set, &info) == SIGRTMIN && info.si_pid == other);
        if (child) {
            printf("answer %d from %d\n", info.si_value.sival_int, info.si_pid);
        } else {
            union sigval value = {.sival_int = info.si_value.sival_int * 10};
            CHECK(sigqueue(other, SIGRTMIN, value) == 0);
        }
    }
    if (child == 0)
        _exit(5);
    CHECK(wait_for(child) == 5 << 8);
    CHECK(kill(child, 0) == -1 && errno == ESRCH);
    return guest_done();
}

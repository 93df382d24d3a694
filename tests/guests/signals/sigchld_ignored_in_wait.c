/* Children end, whose signal is ignored, while their parent waits for another signal or by epoll.
 *
 * engine: native (signals between calls)
 * shows: clock_nanosleep, clone, epoll_create1, epoll_ctl, getppid, kill, pipe2, read, rt_sigprocmask, rt_sigtimedwait
 * source: ends and statuses of children
 */
#include "guest.h"

#include <sys/epoll.h>


int main(void)
{
    int ends[2], watch = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN};
    sigset_t set;
    siginfo_t info;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    CHECK(sigprocmask(SIG_BLOCK, &set, NULL) == 0 && pipe(ends) == 0 && epoll_ctl(watch, EPOLL_CTL_ADD, ends[0], &event) == 0);
    for (int i = 0; i < 4; i++) {
        pid_t first = fork();
        if (first == 0) {
            nap_ms(10);
            _exit(i);
        }
        pid_t second = fork();
        if (second == 0) {
            nap_ms(40);
            CHECK(i & 1 ? write(ends[1], "x", 1) == 1 : kill(getppid(), SIGUSR2) == 0);
            _exit(0);
        }
        if (i & 1)
            CHECK(epoll_wait(watch, &event, 1, -1) == 1 && read(ends[0], &info, 1) == 1);
        else
            CHECK(sigwaitinfo(&set, &info) == SIGUSR2 && info.si_pid == second);
        printf("%d: child ended with %d\n", i, WEXITSTATUS(wait_for(first)));
        CHECK(wait_for(second) == 0);
    }
    return guest_done();
}

/* ppoll, pselect and epoll_pwait unblock a signal only while they wait.
 *
 * shows: epoll_create1, epoll_ctl, epoll_pwait, pipe2, ppoll, pselect6, rt_sigprocmask, tgkill
 * source: poll, select, epoll; signals
 */
#include "guest.h"
#include <sys/select.h>
#include <sys/epoll.h>
static volatile int got;
static void on_signal(int s) { got = s; }
int main(void)
{
    int fds[2], poller = epoll_create1(0);
    sigset_t block, before;
    struct sigaction a = {.sa_handler = on_signal};
    struct timespec limit = {0, 10000000};
    struct pollfd ready;
    struct epoll_event event = {.events = EPOLLIN};
    fd_set set;
    CHECK(pipe(fds) == 0 && sigaction(SIGUSR1, &a, NULL) == 0);
    CHECK(epoll_ctl(poller, EPOLL_CTL_ADD, fds[0], &event) == 0);
    sigemptyset(&block);
    sigaddset(&block, SIGUSR1);
    CHECK(sigprocmask(SIG_BLOCK, &block, &before) == 0);
    for (int round = 0; round < 3; round++) {
        ready = (struct pollfd){fds[0], POLLIN, 0};
        FD_ZERO(&set);
        FD_SET(fds[0], &set);
        got = 0;
        CHECK(raise(SIGUSR1) == 0 && got == 0);
        int result = round == 0 ? ppoll(&ready, 1, NULL, &before)
                     : round == 1 ? pselect(fds[0] + 1, &set, NULL, NULL, NULL, &before)
                                  : epoll_pwait(poller, &event, 1, -1, &before);
        printf("round %d: %d %s signal %d\n", round, result, strerror(errno), got);
        CHECK(result == -1 && errno == EINTR && got == SIGUSR1);
    }
    CHECK(ppoll(&ready, 1, &limit, &before) == 0);
    FD_ZERO(&set);
    FD_SET(fds[0], &set);
    CHECK(pselect(fds[0] + 1, &set, NULL, NULL, &limit, NULL) == 0);
    CHECK(write(fds[1], "x", 1) == 1);
    FD_SET(fds[0], &set);
    CHECK(ppoll(&ready, 1, NULL, &before) == 1 && pselect(fds[0] + 1, &set, NULL, NULL, NULL, NULL) == 1);
    CHECK(epoll_pwait(poller, &event, 1, -1, &before) == 1);
    printf("ready %x %d\n", ready.revents, FD_ISSET(fds[0], &set) != 0);
    return guest_done();
}

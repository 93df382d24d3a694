/* Makes the older calls for waiting that the C library no longer makes, by number, and the newest one.
 *
 * shows: epoll_create, epoll_pwait2, eventfd, fork, inotify_init, nanosleep, pipe, recvmmsg, select, signalfd, tkill
 * source: poll, select, epoll; signals; fork, clone, exec
 */
#include "calls.h"
#include <sys/epoll.h>

int main(void)
{
    int fds[2], ends[2], status;
    uint64_t count = 3;
    sigset_t set;
    char text[8] = "", info[128] = "";
    struct timespec nap = {0, 1000000}, limit = {1, 0};
    struct timeval second = {1, 0};
    struct epoll_event event = {.events = EPOLLIN, .data.fd = 7};
    CHECK(CALL(SYS_pipe, fds) == 0);
    if (syscall(SYS_fork) == 0) {
        syscall(SYS_nanosleep, &nap, NULL);
        CHECK(write(fds[1], "child", 5) == 5);
        syscall(SYS_exit_group, 3);
    }
    fd_set ready;
    FD_ZERO(&ready);
    FD_SET(fds[0], &ready);
    CALL(SYS_select, fds[0] + 1, &ready, NULL, NULL, &second);
    int poller = (int)CALL(SYS_epoll_create, 1);
    CHECK(epoll_ctl(poller, EPOLL_CTL_ADD, fds[0], &event) == 0);
    CALL(SYS_epoll_pwait2, poller, &event, 1, &limit, NULL, 8L);
    printf("ready %x of %d\n", event.events, event.data.fd);
    CHECK(read(fds[0], text, 5) == 5);
    printf("%s\n", text);
    CHECK(wait(&status) > 0);
    printf("status %d\n", WEXITSTATUS(status));
    int counter = (int)CALL(SYS_eventfd, 4);
    CHECK(write(counter, &count, 8) == 8 && read(counter, &count, 8) == 8);
    printf("count %d\n", (int)count);
    int watcher = (int)CALL(SYS_inotify_init);
    CHECK(close(watcher) == 0);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    CHECK(sigprocmask(SIG_BLOCK, &set, NULL) == 0);
    int signals = (int)CALL(SYS_signalfd, -1, &set, 8L);
    CALL(SYS_tkill, getpid(), SIGUSR1);
    CHECK(read(signals, info, sizeof info) == sizeof info);
    printf("signal %d\n", *(int *)info);
    CHECK(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) == 0 && send(ends[1], "a", 1, 0) == 1 && send(ends[1], "bc", 2, 0) == 2);
    struct iovec parts[2] = {{text, 4}, {text + 4, 4}};
    struct mmsghdr messages[2] = {{.msg_hdr = {.msg_iov = parts, .msg_iovlen = 1}}, {.msg_hdr = {.msg_iov = parts + 1, .msg_iovlen = 1}}};
    CALL(SYS_recvmmsg, ends[0], messages, 2, 0, NULL);
    printf("%.1s %.2s %u %u\n", text, text + 4, messages[0].msg_len, messages[1].msg_len);
    return guest_done();
}

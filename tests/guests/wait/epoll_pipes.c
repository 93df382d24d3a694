/* Waits by epoll for pipes that a child writes to, and for edges made by its own process.
 *
 * shows: clock_nanosleep, clone, epoll_create1, epoll_ctl, epoll_wait, pipe2, read
 * source: poll, select, epoll
 */
#include "guest.h"
#include <sys/epoll.h>

int main(void)
{
    int fds[3][2], poller = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event events[4];
    for (int i = 0; i < 3; i++) {
        CHECK(pipe(fds[i]) == 0);
        struct epoll_event event = {.events = EPOLLIN, .data.u32 = i};
        CHECK(epoll_ctl(poller, EPOLL_CTL_ADD, fds[i][0], &event) == 0);
    }
    CHECK(epoll_wait(poller, events, 4, 10) == 0);
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 3; i++) {
            nap_ms(10);
            CHECK(write(fds[i][1], "text", 4) == 4);
        }
        _exit(0);
    }
    int sums[3] = {0, 0, 0};
    char text[8];
    while (sums[0] + sums[1] + sums[2] < 12) {
        int count = epoll_wait(poller, events, 4, 5000);
        CHECK(count > 0);
        for (int i = 0; i < count; i++)
            sums[events[i].data.u32] += read(fds[events[i].data.u32][0], text, 4);
    }
    printf("read %d %d %d\n", sums[0], sums[1], sums[2]);
    struct epoll_event edge = {.events = EPOLLIN | EPOLLET, .data.u32 = 2};
    CHECK(wait_for(child) == 0 && epoll_ctl(poller, EPOLL_CTL_MOD, fds[2][0], &edge) == 0);
    CHECK(write(fds[2][1], "ab", 2) == 2);
    CHECK(epoll_wait(poller, events, 4, 1000) == 1 && epoll_wait(poller, events, 4, 10) == 0);
    CHECK(epoll_ctl(poller, EPOLL_CTL_DEL, fds[0][0], NULL) == 0 && write(fds[0][1], "x", 1) == 1);
    printf("edges seen once: %d\n", epoll_wait(poller, events, 4, 0));
    return guest_done();
}

/* Two edges arrive one after the other. A replay skips the sleep between them and has both at once.
 *
 * engine: native (sizes of pipe reads)
 * shows: clock_nanosleep, clone, epoll_create1, epoll_ctl, epoll_wait, pipe2, read
 * source: poll, select, epoll
 */
#include "guest.h"
#include <sys/epoll.h>

int main(void)
{
    int fds[2][2], poller = epoll_create1(0);
    for (int i = 0; i < 2; i++) {
        struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.u32 = i};
        CHECK(pipe(fds[i]) == 0 && epoll_ctl(poller, EPOLL_CTL_ADD, fds[i][0], &event) == 0);
    }
    pid_t child = fork();
    if (child == 0) {
        CHECK(write(fds[0][1], "x", 1) == 1);
        nap_ms(700);
        CHECK(write(fds[1][1], "y", 1) == 1);
        _exit(0);
    }
    for (volatile long n = 0; n < 30000000; n++) {
    }
    for (int i = 0; i < 2; i++) {
        struct epoll_event events[2];
        char byte = '?';
        int count = epoll_wait(poller, events, 2, 5000);
        CHECK(count == 1 && read(fds[events[0].data.u32][0], &byte, 1) == 1);
        printf("edge of %u: %c\n", events[0].data.u32, byte);
    }
    CHECK(wait_for(child) == 0);
    return guest_done();
}

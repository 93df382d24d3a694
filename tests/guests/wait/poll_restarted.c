/* The end of a child, without a handler, interrupts a poll. The kernel restarts the poll.
 *
 * shows: clock_nanosleep, clone, pipe2, poll, read, restart_syscall
 * source: poll, select, epoll; ends and statuses of children
 */
#include "guest.h"

int main(void)
{
    int fds[2];
    char byte;
    CHECK(pipe(fds) == 0);
    pid_t first = fork();
    if (first == 0) {
        nap_ms(50);
        _exit(1);
    }
    pid_t second = fork();
    if (second == 0) {
        nap_ms(150);
        _exit(write(fds[1], "x", 1) != 1);
    }
    struct pollfd ready = {fds[0], POLLIN, 0};
    CHECK(poll(&ready, 1, 10000) == 1 && read(fds[0], &byte, 1) == 1);
    printf("poll %x, read %c\n", ready.revents, byte);
    CHECK(wait_for(first) == 1 << 8 && wait_for(second) == 0);
    return guest_done();
}

/* Reads a nonblocking pipe and polls only where nothing is there, as xz does. When recorded, all data was there.
 *
 * engine: native (sizes of pipe reads)
 * shows: clock_nanosleep, clone, fcntl, pipe2, read
 * source: pipes: sizes of reads, order of writers; poll, select, epoll
 */
#include "guest.h"
#include <poll.h>

int main(void)
{
    int fds[2];
    char text[64];
    ssize_t got, all = 0;
    CHECK(pipe(fds) == 0 && fcntl(fds[0], F_SETFL, O_NONBLOCK) == 0);
    pid_t child = fork();
    if (child == 0) {
        for (volatile long i = 0; i < 60000000; i++)
            ;
        CHECK(write(fds[1], "all of it", 9) == 9);
        _exit(0);
    }
    close(fds[1]);
    nap_ms(600);
    while ((got = read(fds[0], text, sizeof text)) != 0) {
        struct pollfd ready = {.fd = fds[0], .events = POLLIN};
        CHECK(got > 0 || (errno == EAGAIN && poll(&ready, 1, -1) == 1));
        all += got > 0 ? got : 0;
    }
    CHECK(wait_for(child) == 0);
    printf("%d bytes\n", (int)all);
    return guest_done();
}

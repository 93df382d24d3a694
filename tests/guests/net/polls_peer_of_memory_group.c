/* A process that shares memory with another polls for its data through a socket pair and a TCP socket. A replay
 * needs fewer polls.
 *
 * run: racing
 * shows: accept4, clock_nanosleep, clone, connect, poll, read, socket, socketpair
 * source: sockets inside the experiment; shared memory, mapped files
 */
#include "guest.h"

static int tcp[2], pair[2];

static char looks(int fd)
{
    struct pollfd asked = {fd, POLLIN, 0};
    char c;
    while (poll(&asked, 1, 0) <= 0)
        usleep(300);
    CHECK(read(fd, &c, 1) == 1);
    return c;
}

int main(void)
{
    char *shared = shared_page();
    connect_tcp(tcp);
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    pid_t worker = fork();
    for (int i = 0; i < 5 && !worker; i++) {
        nap_ms(4);
        shared[0]++;
        CHECK(write(pair[1], "p", 1) == 1 && write(tcp[1], "t", 1) == 1);
    }
    if (!worker)
        exit(0);
    for (int i = 0; i < 5; i++) {
        char first = looks(pair[0]), second = looks(tcp[0]);
        printf("%c%c\n", first, second);
    }
    wait_for(worker);
    printf("%d\n", shared[0]);
    return guest_done();
}

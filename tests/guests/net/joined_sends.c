/* A late reader gets several sends in one read. In a replay, which skips its sleep, it may read between the sends.
 *
 * engine: native (sizes of pipe reads)
 * shows: clock_nanosleep, clone, poll, read, recvmsg, socketpair
 * source: sockets inside the experiment
 */
#include "guest.h"

static void hear(int fd)
{
    char text[64] = "", control[CMSG_SPACE(sizeof(int))];
    struct iovec part = {text, sizeof text - 1};
    struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    struct pollfd p = {fd, POLLIN, 0};
    CHECK(poll(&p, 1, 5000) == 1);
    nap_ms(100);
    ssize_t n = recvmsg(fd, &m, MSG_DONTWAIT);
    CHECK(n >= 0);
    printf("%zd: %s\n", n, text);
}

static void say(int fd, const char *text)
{
    CHECK(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    for (volatile int k = 0; k < 10000000; k++)
        ;
}

int main(void)
{
    int pair[2];
    char c;
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 3; i++) {
            say(pair[1], "one");
            say(pair[1], ", two");
            say(pair[1], ", three");
            CHECK(read(pair[1], &c, 1) == 1);
        }
        _exit(0);
    }
    for (int i = 0; i < 3; i++) {
        hear(pair[0]);
        CHECK(write(pair[0], "x", 1) == 1);
    }
    CHECK(wait_for(child) == 0);
    return guest_done();
}

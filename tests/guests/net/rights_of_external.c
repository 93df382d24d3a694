/* A parent passes what is external to its child over a socket pair: a connection to a server, a device and a timer.
 *
 * run: outside=servers
 * engine: native (threads)
 * shows: clone, poll, read, recvmsg, sendmsg, socketpair, timerfd_create, timerfd_settime, write
 * source: descriptors passed over sockets; servers and clients outside the experiment; timers
 */
#include "outside.h"
#include <sys/timerfd.h>

enum { COUNT = 3 };
static union { char bytes[CMSG_SPACE(COUNT * sizeof(int))]; struct cmsghdr align; } space;

static struct msghdr message(struct iovec *data)
{
    return (struct msghdr){.msg_iov = data, .msg_iovlen = 1, .msg_control = &space, .msg_controllen = sizeof space.bytes};
}

static void send_all(int over, const int *fds)
{
    struct iovec data = {"f", 1};
    struct msghdr m = message(&data);
    struct cmsghdr *control = CMSG_FIRSTHDR(&m);
    *control = (struct cmsghdr){CMSG_LEN(COUNT * sizeof *fds), SOL_SOCKET, SCM_RIGHTS};
    memcpy(CMSG_DATA(control), fds, COUNT * sizeof *fds);
    CHECK(sendmsg(over, &m, 0) == 1);
    for (int i = 0; i < COUNT; i++)
        close(fds[i]);
}

static void use_all(int over)
{
    int fds[COUNT];
    char byte, answer[64] = "";
    uint64_t number;
    struct iovec data = {&byte, 1};
    struct msghdr m = message(&data);
    CHECK(recvmsg(over, &m, 0) == 1 && CMSG_FIRSTHDR(&m));
    memcpy(fds, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof fds);
    struct pollfd ready = {fds[0], POLLIN, 0};
    CHECK(write(fds[0], "next\n", 5) == 5 && poll(&ready, 1, -1) == 1 && read(fds[0], answer, sizeof answer - 1) > 0);
    CHECK(read(fds[1], &number, sizeof number) == sizeof number);
    printf("answer %sdrawn %llx\n", answer, (unsigned long long)number);
    for (int i = 0; i < 3; i++) {
        CHECK(read(fds[2], &number, sizeof number) == sizeof number);
        printf("expired %llu times\n", (unsigned long long)number);
    }
    exit(0);
}

int main(void)
{
    int pair[2];
    struct itimerspec often = {{0, 3000000}, {0, 3000000}};
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    pid_t child = fork();
    if (child == 0)
        use_all(pair[1]);
    int fds[COUNT] = {fileno(called()), open("/dev/urandom", O_RDONLY), timerfd_create(CLOCK_MONOTONIC, 0)};
    CHECK(timerfd_settime(fds[2], 0, &often, NULL) == 0);
    send_all(pair[0], fds);
    CHECK(wait_for(child) == 0);
    return guest_done();
}

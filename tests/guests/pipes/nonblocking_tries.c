/* A nonblocking reader tries to read before it polls. How often and how much depends on timing.
 *
 * engine: native (sizes of pipe reads)
 * shows: clock_nanosleep, clone, fcntl, ioctl, pipe2, poll, read, wait4
 * source: pipes: sizes of reads, order of writers
 */
#include "guest.h"
#include <sys/ioctl.h>

static void read_all(int fd)
{
    char text[64];
    for (;;) {
        ssize_t n = read(fd, text, sizeof text);
        if (n == 0)
            break;
        if (n > 0) {
            printf(" %zd", n);
            continue;
        }
        CHECK(errno == EAGAIN);
        printf(" wait");
        CHECK(poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, -1) == 1);
    }
    printf("\n");
}
enum way { BY_FCNTL, BY_IOCTL, AS_IT_IS_MADE };
static void pipeline(enum way way, long first_ms, long between_ms)
{
    int fds[2], on = 1;
    CHECK(pipe2(fds, way == AS_IT_IS_MADE ? O_NONBLOCK : 0) == 0);
    pid_t writer = fork();
    if (writer == 0) {
        for (int i = 0; i < 3; i++) {
            nap_ms(between_ms);
            CHECK(write(fds[1], "one \n", 5) == 5);
        }
        _exit(0);
    }
    close(fds[1]);
    if (way == BY_IOCTL)
        CHECK(ioctl(fds[0], FIONBIO, &on) == 0);
    else if (way == BY_FCNTL)
        CHECK(fcntl(fds[0], F_SETFL, O_NONBLOCK) == 0);
    nap_ms(first_ms);
    read_all(fds[0]);
    close(fds[0]);
    CHECK(wait_for(writer) == 0);
}
int main(void)
{
    for (enum way way = BY_FCNTL; way <= AS_IT_IS_MADE; way++) {
        pipeline(way, 0, 10);
        pipeline(way, 40, 5);
    }
    return guest_done();
}

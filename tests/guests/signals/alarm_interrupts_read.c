/* An alarm ends a read from a pipe that nobody writes to. A second alarm restarts the read.
 *
 * shows: pipe2, read, rt_sigaction, setitimer, write
 * source: signals
 */
#include "guest.h"

static int fds[2];
static volatile int alarms;
static void ring(int s)
{
    (void)s;
    if (++alarms == 2)
        CHECK(write(fds[1], "late", 4) == 4);
}
int main(void)
{
    char text[8];
    struct sigaction a = {.sa_handler = ring};
    CHECK(pipe(fds) == 0 && sigaction(SIGALRM, &a, NULL) == 0);
    ualarm(20000, 0);
    ssize_t size = read(fds[0], text, sizeof text);
    printf("read %zd %s after %d\n", size, strerror(errno), alarms);
    CHECK(size == -1 && errno == EINTR && alarms == 1);
    a.sa_flags = SA_RESTART;
    CHECK(sigaction(SIGALRM, &a, NULL) == 0);
    ualarm(20000, 0);
    size = read(fds[0], text, sizeof text);
    printf("read %zd %.4s after %d\n", size, text, alarms);
    CHECK(size == 4 && alarms == 2);
    return guest_done();
}

/* The end of a child interrupts a read from a pipe. In a replay the child ends while its parent still computes, so
 * the signal must wait.
 *
 * shows: clock_nanosleep, clone, pipe2, read, rt_sigaction
 * source: ends and statuses of children
 */
#include "guest.h"

static volatile int children;
static void on_child(int s)
{
    (void)s;
    children++;
}
static void read_until_child_ends(int nap, long rounds)
{
    int fds[2];
    char text[8];
    children = 0;
    CHECK(pipe(fds) == 0);
    pid_t child = fork();
    if (child == 0) {
        nap_ms(nap);
        _exit(3);
    }
    for (volatile long i = 0; i < rounds; i++)
        ;
    CHECK(children == 0);
    ssize_t size = read(fds[0], text, sizeof text);
    printf("read %zd: %s, children %d\n", size, strerror(errno), children);
    CHECK(size == -1 && errno == EINTR && children == 1);
    CHECK(wait_for(child) == 3 << 8);
}
int main(void)
{
    struct sigaction a = {.sa_handler = on_child};
    CHECK(sigaction(SIGCHLD, &a, NULL) == 0);
    read_until_child_ends(20, 0);
    read_until_child_ends(600, 10000000);
    return guest_done();
}

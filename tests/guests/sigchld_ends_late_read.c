#include "guest.h"
/* As sigchld_ends_read.c, but a replay, which need not repeat the child's nap, has the child end
 * while its parent still computes: the signal has to wait until the parent sleeps. */
static volatile int children;
static void on_child(int s)
{
    (void)s;
    children++;
}
int main(void)
{
    int fds[2];
    char text[8];
    struct sigaction a = {.sa_handler = on_child};
    CHECK(pipe(fds) == 0 && sigaction(SIGCHLD, &a, NULL) == 0);
    pid_t child = fork();
    if (child == 0) {
        nap_ms(500);
        _exit(3);
    }
    for (volatile long i = 0; i < 60000000; i++)
        ;
    CHECK(children == 0);
    ssize_t size = read(fds[0], text, sizeof text);
    printf("read %zd: %s, children %d\n", size, strerror(errno), children);
    CHECK(size == -1 && errno == EINTR && children == 1);
    CHECK(wait_for(child) == 3 << 8);
    return guest_done();
}

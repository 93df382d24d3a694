#include "guest.h"
/* The end of a child interrupts a read from a pipe that its writer holds open. */
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
        nap_ms(20);
        _exit(3);
    }
    ssize_t size = read(fds[0], text, sizeof text);
    printf("read %zd: %s, children %d\n", size, strerror(errno), children);
    CHECK(size == -1 && errno == EINTR && children == 1);
    CHECK(wait_for(child) == 3 << 8);
    return guest_done();
}

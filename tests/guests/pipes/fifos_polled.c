/* Processes poll a FIFO, and a pipe that was opened once more by its name, as shells do for `<(command)`.
 *
 * shows: mknodat, open, poll, read, write
 * source: poll, select, epoll; pipes: sizes of reads, order of writers
 */
#include "guest.h"

static void show(const char *what, int fd)
{
    struct pollfd p = {fd, POLLIN, 0};
    char text[64] = "";
    while (poll(&p, 1, -1) == 1 && p.revents & POLLIN) {
        ssize_t n = read(fd, text, sizeof text - 1);
        CHECK(n > 0);
        printf("%s: %.*s\n", what, (int)n, text);
    }
    printf("%s: events %x, read %zd\n", what, p.revents, read(fd, text, sizeof text));
}

static void say(int fd)
{
    struct pollfd p = {fd, POLLOUT, 0};
    CHECK(poll(&p, 1, -1) == 1 && write(fd, "one", 3) == 3);
    nap_ms(5);
    CHECK(poll(&p, 1, -1) == 1 && write(fd, "two", 3) == 3);
    _exit(0);
}

int main(void)
{
    int ends[2], fd;
    char name[40];
    CHECK(mkfifo("fifo", 0600) == 0);
    pid_t child = fork();
    if (child == 0)
        say(open("fifo", O_WRONLY));
    CHECK((fd = open("fifo", O_RDONLY)) >= 0);
    show("FIFO", fd);
    CHECK(wait_for(child) == 0 && close(fd) == 0 && pipe(ends) == 0);
    snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
    CHECK((fd = open(name, O_RDONLY)) >= 0);
    if ((child = fork()) == 0)
        say(ends[1]);
    CHECK(close(ends[1]) == 0);
    show("pipe", fd);
    CHECK(wait_for(child) == 0);
    return guest_done();
}

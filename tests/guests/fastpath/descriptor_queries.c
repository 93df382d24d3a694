/* Queries and closes files and internal pipes by numbers that external descriptors had between. Then it makes a
 * pipe nonblocking, and closes standard streams.
 *
 * engine: native (sizes of pipe reads)
 * shows: clone, dup2, ioctl, newfstatat, pipe2, poll, read
 * source: descriptor numbers; pipes: sizes of reads, order of writers
 */
#include "guest.h"
#include <sys/ioctl.h>
#include <termios.h>

enum { ROUNDS = 60 };

static unsigned char draw(void)
{
    unsigned char drawn = 0;
    int fd = open("/dev/urandom", O_RDONLY);
    CHECK(fd >= 0 && read(fd, &drawn, 1) == 1 && close(fd) == 0);
    return drawn;
}

static void ask(int fd, int round)
{
    struct termios as;
    char name[32];
    struct stat st;
    CHECK(ioctl(fd, TCGETS, &as) == -1 && errno == ENOTTY);
    snprintf(name, sizeof name, "file %d", round);
    int drawn = draw(), made = open(name, O_CREAT | O_WRONLY, 0644);
    CHECK(made >= 0 && dprintf(made, "%d\n", drawn) > 0 && close(made) == 0 && close(made) == -1 && errno == EBADF);
    CHECK(stat(name, &st) == 0);
    printf("%s: %d, %d bytes\n", name, drawn, (int)st.st_size);
}

/* Whether it finds nothing before there is something, a replay is to tell as well. */
static void read_all(int fd)
{
    char text[64];
    for (ssize_t n; (n = read(fd, text, sizeof text)) != 0; ) {
        printf(" %zd", n);
        CHECK(n > 0 || (errno == EAGAIN && poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, -1) == 1));
    }
    printf("\n");
}

static void compute(void)
{
    for (volatile long i = 0; i < 3000000; i++)
        ;
}

int main(void)
{
    int fds[2], on = 1;
    CHECK(pipe(fds) == 0 && dup2(fds[0], 0) == 0 && close(fds[0]) == 0);
    for (int round = 0; round < ROUNDS; round++)
        ask(0, round);
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 4; i++) {
            compute();
            CHECK(write(fds[1], "part ", 5) == 5);
        }
        CHECK(close(0) == 0 && close(1) == 0);
        _exit(0);
    }
    CHECK(close(fds[1]) == 0 && ioctl(0, FIONBIO, &on) == 0);
    compute();
    read_all(0);
    CHECK(wait_for(child) == 0);
    return guest_done();
}

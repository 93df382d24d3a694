/* How much a poll, select or epoll loop reads at a time depends on when others write.
 *
 * engine: native (sizes of pipe reads)
 * shows: epoll_create1, epoll_ctl, epoll_wait, eventfd2, fcntl, getpid, ioctl, poll, pselect6, socketpair
 * source: poll, select, epoll; pipes: sizes of reads, order of writers
 */
#include "guest.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/select.h>

/* Writes of uneven size at uneven times, sometimes so close that they are read together. */
static pid_t writer(int to, unsigned seed)
{
    char block[700];
    memset(block, 'x', sizeof block);
    pid_t child = fork();
    for (int i = 0; child == 0 && i < 40; i++) {
        seed = seed * 1103515245 + 12345 + (unsigned)getpid();
        if (write(to, block, 1 + seed / 65536 % sizeof block) < 0)
            _exit(1);
        if (seed / 1024 % 3 == 0)
            usleep(seed / 4096 % 1500);
    }
    if (child == 0)
        _exit(0);
    close(to);
    return child;
}

static void await_input(int how, int epoll, int fd)
{
    struct pollfd p = {fd, POLLIN, 0};
    struct epoll_event e;
    fd_set set;
    FD_ZERO(&set);
    FD_SET(fd, &set);
    if (how == 0)
        poll(&p, 1, 2);
    else if (how == 1)
        select(fd + 1, &set, NULL, NULL, NULL);
    else
        epoll_wait(epoll, &e, 1, 5);
}

static void read_all(int how, int fd, pid_t child)
{
    char block[1000];
    int epoll = epoll_create1(0), left = 0;
    struct epoll_event e = {.events = EPOLLIN | EPOLLET};
    fcntl(fd, F_SETFL, O_NONBLOCK);
    epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &e);
    for (ssize_t n = -1; n; ) {
        await_input(how, epoll, fd);
        while ((n = read(fd, block, sizeof block)) > 0) {
            ioctl(fd, FIONREAD, &left);
            printf("%zd(%d) ", n, left);
        }
        printf(n ? "again " : "end\n");
    }
    close(epoll);
    close(fd);
    waitpid(child, NULL, 0);
}

/* What does not fit is written later; how much fits depends on the reader. */
static void write_all(void)
{
    static char block[300000];
    int pair[2];
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    pid_t child = fork();
    if (child == 0) {
        close(pair[0]);
        while (read(pair[1], block, 5000) > 0)
            usleep(50);
        _exit(0);
    }
    close(pair[1]);
    fcntl(pair[0], F_SETFL, O_NONBLOCK);
    for (size_t done = 0; done < sizeof block; ) {
        struct pollfd p = {pair[0], POLLOUT, 0};
        poll(&p, 1, -1);
        ssize_t n = write(pair[0], block + done, sizeof block - done);
        printf("wrote %zd\n", n);
        done += n > 0 ? (size_t)n : 0;
    }
    close(pair[0]);
    waitpid(child, NULL, 0);
}

static void count(void)
{
    int fd = eventfd(0, EFD_NONBLOCK);
    uint64_t value, total = 0;
    pid_t child = fork();
    for (int i = 0; child == 0 && i < 30; i++) {
        value = 1;
        if (write(fd, &value, sizeof value) != sizeof value)
            _exit(1);
        usleep(i % 4 * 100);
    }
    if (child == 0)
        _exit(0);
    while (total < 30) {
        struct pollfd p = {fd, POLLIN, 0};
        poll(&p, 1, -1);
        if (read(fd, &value, sizeof value) == sizeof value) {
            total += value;
            printf("counted %llu\n", (unsigned long long)value);
        }
    }
    waitpid(child, NULL, 0);
}

/* Several take turns with what lies in one pipe, as the jobs of make do. */
static void tokens(void)
{
    int fds[2];
    if (pipe(fds) || write(fds[1], "+++", 3) != 3)
        return;
    for (int k = 0; k < 4; k++)
        if (fork() == 0) {
            for (int i = 0; i < 6; i++) {
                struct pollfd p = {fds[0], POLLIN, 0};
                char token;
                poll(&p, 1, -1);
                if (read(fds[0], &token, 1) != 1)
                    _exit(1);
                usleep(100 * (unsigned)k);
                dprintf(1, "%d has one\n", k);
                if (write(fds[1], &token, 1) != 1)
                    _exit(1);
            }
            _exit(0);
        }
    while (wait(NULL) > 0)
        ;
}

int main(void)
{
    for (int how = 0; how < 3; how++) {
        int fds[2];
        if (pipe(fds))
            return 1;
        pid_t child = writer(fds[1], (unsigned)how);
        read_all(how, fds[0], child);
    }
    write_all();
    count();
    fflush(stdout);
    tokens();
    puts(TOKEN);
    return 0;
}

/* A child computes, writes, and ends its parent's wait by a signal. The written data must be there, though no call
 * showed it.
 *
 * engine: native (signals between calls)
 * shows: epoll_create1, epoll_ctl, epoll_wait, getppid, kill, pipe2, poll, pread64, pselect6, pwrite64
 * source: signals; poll, select, epoll
 */
#include "guest.h"
#include <sys/epoll.h>
#include <sys/select.h>

static volatile sig_atomic_t came;

/* The first counts: on a busy machine the child may have ended before its parent goes on. */
static void on_signal(int sig)
{
    came = came ? came : sig;
}

/* On a busy machine the child may be through before its parent waits. */
static int ended(void)
{
    errno = EINTR;
    return -1;
}

static int wait_poll(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    return came ? ended() : poll(&p, 1, -1);
}

static int wait_select(int fd)
{
    fd_set set;
    FD_ZERO(&set);
    FD_SET(fd, &set);
    return came ? ended() : select(fd + 1, &set, NULL, NULL, NULL);
}

static int wait_epoll(int fd)
{
    struct epoll_event e = {.events = EPOLLIN};
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    CHECK(epoll >= 0 && !epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &e));
    int result = came ? ended() : epoll_wait(epoll, &e, 1, -1), saved = errno;
    close(epoll);
    errno = saved;
    return result;
}

static void compute(void)
{
    for (volatile long n = 0; n < 40000000; n++) {
    }
}

/* by_end: its end is the signal. */
static void try(const char *name, int (*waits)(int), int by_end)
{
    int ends[2], file = open("said", O_RDWR | O_CREAT | O_TRUNC, 0644);
    char text[64];
    CHECK(file >= 0 && !pipe(ends));
    came = 0;
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        compute();
        CHECK(pwrite(file, name, strlen(name), 0) == (ssize_t)strlen(name));
        if (by_end)
            _exit(0);
        CHECK(!kill(getppid(), SIGUSR1));
        compute();
        CHECK(write(ends[1], "x", 1) == 1);
        _exit(0);
    }
    CHECK(waits(ends[0]) == -1 && errno == EINTR && came == (by_end ? SIGCHLD : SIGUSR1));
    ssize_t size = pread(file, text, sizeof text, 0);
    CHECK(size >= 0);
    printf("%s: %.*s\n", name, (int)size, text);
    if (!by_end)
        for (came = 0; waits(ends[0]) != 1; came = 0)
            CHECK(errno == EINTR);
    CHECK(wait_for(child) == 0 && !close(ends[0]) && !close(ends[1]) && !close(file));
}

int main(void)
{
    struct sigaction a = {.sa_handler = on_signal};
    sigfillset(&a.sa_mask);
    CHECK(!sigaction(SIGUSR1, &a, NULL) && !sigaction(SIGCHLD, &a, NULL));
    try("poll", wait_poll, 0);
    try("select", wait_select, 0);
    try("epoll", wait_epoll, 0);
    try("poll, child's end", wait_poll, 1);
    try("select, child's end", wait_select, 1);
    try("epoll, child's end", wait_epoll, 1);
    return guest_done();
}

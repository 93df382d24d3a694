/* SIGCHLD interrupts the wait of an event loop that serves threads, as in libuv.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_nanosleep, epoll_create1, epoll_ctl, epoll_wait, eventfd2, newfstatat, pipe2, read, rt_sigprocmask, wait4
 * source: ends and statuses of children; poll, select, epoll
 */
#include "guest.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>

enum { CHILDREN = 8, THREADS = 3 };

static int told[2], done_fd;
static volatile int stop;

static void on_child(int sig)
{
    int saved = errno;
    CHECK(write(told[1], &sig, 1) == 1);
    errno = saved;
}

static void *work(void *unused)
{
    const uint64_t one = 1;
    while (!stop) {
        struct stat st;
        CHECK(!stat(".", &st) && write(done_fd, &one, sizeof one) == sizeof one);
        nap_ms(1);
    }
    return unused;
}

static void serve(int loop, int number)
{
    struct epoll_event e[4];
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        nap_ms(15);
        _exit(number);
    }
    for (int status, ended = 0; !ended; ) {
        int n = epoll_wait(loop, e, 4, 2000);
        CHECK(n > 0 || (n < 0 && errno == EINTR));
        for (int i = 0; i < n; i++) {
            char sig;
            uint64_t count;
            if (e[i].data.fd == done_fd)
                CHECK(read(done_fd, &count, sizeof count) == sizeof count);
            else
                CHECK(read(told[0], &sig, 1) == 1 && (ended = waitpid(child, &status, WNOHANG) == child));
        }
        if (ended)
            printf("child %d of pid %d ended with %d\n", number, (int)child, WEXITSTATUS(status));
    }
}

int main(void)
{
    pthread_t thread[THREADS];
    struct sigaction a = {.sa_handler = on_child, .sa_flags = SA_RESTART};
    sigset_t chld;
    int loop = epoll_create1(EPOLL_CLOEXEC);
    CHECK(loop >= 0 && !pipe2(told, O_CLOEXEC | O_NONBLOCK) && (done_fd = eventfd(0, EFD_CLOEXEC)) >= 0);
    CHECK(!sigaction(SIGCHLD, &a, NULL) && !sigemptyset(&chld) && !sigaddset(&chld, SIGCHLD));
    for (int i = 0; i < 2; i++) {
        struct epoll_event e = {.events = EPOLLIN, .data.fd = i ? done_fd : told[0]};
        CHECK(!epoll_ctl(loop, EPOLL_CTL_ADD, e.data.fd, &e));
    }
    CHECK(!pthread_sigmask(SIG_BLOCK, &chld, NULL));
    for (int i = 0; i < THREADS; i++)
        CHECK(!pthread_create(&thread[i], NULL, work, NULL));
    CHECK(!pthread_sigmask(SIG_UNBLOCK, &chld, NULL));
    for (int i = 1; i <= CHILDREN; i++)
        serve(loop, i);
    stop = 1;
    for (int i = 0; i < THREADS; i++)
        CHECK(!pthread_join(thread[i], NULL));
    return guest_done();
}

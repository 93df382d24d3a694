/* A thread waits by epoll for a pipe, and then for network data. The sender of both waits for its timer.
 *
 * run: racing
 * engine: native (threads)
 * shows: bind, connect, epoll_create1, epoll_ctl, epoll_wait, getsockname, gettid, timer_create, timer_delete, timer_settime
 * source: poll, select, epoll; timers
 */
#include "guest.h"

#include <sys/epoll.h>

enum { ROUNDS = 5 };

static int pipes[2], sockets[2];

static void nothing(int sig)
{
    (void)sig;
}

static void interrupted_read(void)
{
    struct sigaction act = {.sa_handler = nothing};
    struct sigevent to = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN + 1};
    struct itimerspec when = {.it_value.tv_nsec = 90000000};
    timer_t timer;
    char byte;
    int ends[2];
    to._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    CHECK(pipe(ends) == 0 && sigaction(SIGRTMIN + 1, &act, NULL) == 0);
    CHECK(timer_create(CLOCK_MONOTONIC, &to, &timer) == 0 && timer_settime(timer, 0, &when, NULL) == 0);
    CHECK(read(ends[0], &byte, 1) < 0 && errno == EINTR);
    CHECK(timer_delete(timer) == 0 && close(ends[0]) == 0 && close(ends[1]) == 0);
}

static void connect_udp(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    CHECK((sockets[0] = socket(AF_INET, SOCK_DGRAM, 0)) >= 0 && (sockets[1] = socket(AF_INET, SOCK_DGRAM, 0)) >= 0);
    CHECK(bind(sockets[0], (struct sockaddr *)&at, sizeof at) == 0 && getsockname(sockets[0], (struct sockaddr *)&at, &size) == 0);
    CHECK(connect(sockets[1], (struct sockaddr *)&at, sizeof at) == 0);
}

static int took(int fd)
{
    struct epoll_event event = {.events = EPOLLIN};
    int watch = epoll_create1(0);
    unsigned char byte;
    CHECK(watch >= 0 && epoll_ctl(watch, EPOLL_CTL_ADD, fd, &event) == 0);
    while (epoll_wait(watch, &event, 1, 20) <= 0) {
    }
    CHECK(read(fd, &byte, 1) == 1 && close(watch) == 0);
    return byte;
}

static void *take(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        int piped = took(pipes[0]);
        printf("%d by the pipe, %d by the socket\n", piped, took(sockets[0]));
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    connect_udp();
    CHECK(pipe(pipes) == 0 && pthread_create(&thread, NULL, take, NULL) == 0);
    for (unsigned char i = 0; i < ROUNDS; i++) {
        interrupted_read();
        CHECK(write(pipes[1], &i, 1) == 1 && write(sockets[1], &i, 1) == 1);
    }
    CHECK(pthread_join(thread, NULL) == 0);
    return guest_done();
}

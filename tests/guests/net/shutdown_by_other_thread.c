/* A thread closes its connection in its own time. Another, after a timer, shuts it down if it comes first.
 *
 * run: racing
 * engine: native (threads)
 * shows: accept, bind, connect, listen, poll, recvfrom, sendto, timerfd_create, timerfd_settime, unlink
 * source: sockets inside the experiment
 */
#include "guest.h"
#include <sys/timerfd.h>
#include <sys/un.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t said;
static int connection = -1;

static void *serve(void *unused)
{
    char text[8];
    CHECK(send(connection, "hello", 5, MSG_NOSIGNAL) == 5);
    CHECK(recv(connection, text, sizeof text, 0) == 5 && send(connection, "again", 5, MSG_NOSIGNAL) == 5);
    pthread_barrier_wait(&said);
    for (volatile long i = 0; i < 30000000; i++)
        ;
    pthread_mutex_lock(&lock);
    CHECK(close(connection) == 0);
    connection = -1;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void call(const struct sockaddr_un *at)
{
    char text[8];
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    CHECK(fd >= 0 && connect(fd, (const struct sockaddr *)at, sizeof *at) == 0);
    struct pollfd p = {fd, POLLIN, 0};
    for (int i = 0; i < 2; i++) {
        ssize_t n = recv(fd, text, sizeof text, MSG_DONTWAIT);
        if (n < 0)
            n = poll(&p, 1, 20000) == 1 ? recv(fd, text, sizeof text, MSG_DONTWAIT) : -1;
        CHECK(n == 5);
        CHECK(i == 1 || send(fd, "again", 5, MSG_NOSIGNAL) == 5);
    }
    _exit(0);
}

int main(void)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX, .sun_path = "socket"};
    struct itimerspec once = {.it_value = {0, 600000000}};
    int timer = timerfd_create(CLOCK_MONOTONIC, 0), listener = socket(AF_UNIX, SOCK_STREAM, 0);
    uint64_t times;
    pthread_t thread;
    unlink(at.sun_path);
    CHECK(pthread_barrier_init(&said, NULL, 2) == 0);
    CHECK(bind(listener, (struct sockaddr *)&at, sizeof at) == 0 && listen(listener, 1) == 0);
    pid_t child = fork();
    if (child == 0)
        call(&at);
    CHECK((connection = accept(listener, NULL, NULL)) >= 0);
    CHECK(pthread_create(&thread, NULL, serve, NULL) == 0);
    pthread_barrier_wait(&said);
    CHECK(timer >= 0 && timerfd_settime(timer, 0, &once, NULL) == 0 && read(timer, &times, sizeof times) == sizeof times);
    pthread_mutex_lock(&lock);
    CHECK(connection < 0 || shutdown(connection, SHUT_RDWR) == 0);
    pthread_mutex_unlock(&lock);
    CHECK(pthread_join(thread, NULL) == 0 && wait_for(child) == 0);
    return guest_done();
}

/* Threads serve one client in turns. One receives its request, and another perhaps the end of the connection.
 *
 * run: racing
 * engine: native (threads)
 * shows: accept, bind, clone, clone3, connect, listen, poll, read, recvfrom, socket
 * source: sockets inside the experiment; which thread does a piece of work
 */
#include "guest.h"
#include <poll.h>
#include <stdbool.h>
#include <sys/un.h>

enum { CALLS = 24, THREADS = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t change = PTHREAD_COND_INITIALIZER;
static struct { int fd; bool is_answered; } queue[2 * CALLS];
static int taken, given;

static void give(int fd, bool is_answered)
{
    pthread_mutex_lock(&lock);
    queue[given].fd = fd;
    queue[given++].is_answered = is_answered;
    pthread_cond_broadcast(&change);
    pthread_mutex_unlock(&lock);
}

static void serve(int fd, bool is_answered)
{
    char asked[16];
    ssize_t n = read(fd, asked, sizeof asked);
    if (is_answered) {
        CHECK(n == 0 && close(fd) == 0);
        return;
    }
    CHECK(n == sizeof asked && write(fd, asked, sizeof asked) == sizeof asked);
    give(fd, true);
}

static void *work(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        while (taken == given && given < 2 * CALLS)
            pthread_cond_wait(&change, &lock);
        int place = taken < given ? taken++ : -1;
        pthread_mutex_unlock(&lock);
        if (place < 0)
            return unused;
        serve(queue[place].fd, queue[place].is_answered);
    }
}

/* It looks again and again, and so has a pace of its own. */
static void call(const struct sockaddr_un *at, int i)
{
    char asks[16] = "", told[16];
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    struct pollfd p = {fd, POLLIN, 0};
    CHECK(connect(fd, (const struct sockaddr *)at, sizeof *at) == 0);
    snprintf(asks, sizeof asks, "call %d", i);
    CHECK(write(fd, asks, sizeof asks) == sizeof asks);
    while (recv(fd, told, sizeof told, MSG_DONTWAIT) < 0 && errno == EAGAIN)
        CHECK(poll(&p, 1, 10000) == 1);
    CHECK(!strcmp(asks, told) && close(fd) == 0);
    printf("%s\n", told);
}

int main(void)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX, .sun_path = "here"};
    pthread_t threads[THREADS];
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    CHECK(listener >= 0 && bind(listener, (struct sockaddr *)&at, sizeof at) == 0 && listen(listener, 8) == 0);
    pid_t caller = fork();
    if (!caller) {
        for (int i = 0; i < CALLS; i++)
            call(&at, i);
        exit(0);
    }
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, work, NULL) == 0);
    for (int i = 0; i < CALLS; i++)
        give(accept(listener, NULL, NULL), false);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    wait_for(caller);
    return guest_done();
}

/* A server makes a thread for a client when none is idle. A replay has more threads than the log, at other
 * numbers.
 *
 * run: racing
 * engine: native (threads)
 * shows: accept, bind, clock_nanosleep, connect, listen, poll, recvfrom, sendto, socket, unlink
 * source: sockets inside the experiment; descriptor numbers
 */
#include "guest.h"
#include <sys/un.h>

enum { CALLS = 6 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t change = PTHREAD_COND_INITIALIZER;
static int waiting = -1, idle;

static void nap(int ms)
{
    struct timespec length = {0, ms * 1000000L};
    nanosleep(&length, NULL);
}

/* What has come, waited for by poll. */
static ssize_t hear(int fd, char *text, size_t size)
{
    struct pollfd p = {fd, POLLIN, 0};
    ssize_t n = recv(fd, text, size - 1, MSG_DONTWAIT);
    if (n < 0 && errno == EAGAIN) {
        CHECK(poll(&p, 1, 10000) == 1);
        n = recv(fd, text, size - 1, MSG_DONTWAIT);
    }
    CHECK(n >= 0);
    text[n] = 0;
    return n;
}

static void say(int fd, const char *text)
{
    CHECK(send(fd, text, strlen(text), MSG_NOSIGNAL) == (ssize_t)strlen(text));
}

static void serve(int fd)
{
    char text[64], answer[80];
    say(fd, "hello");
    while (hear(fd, text, sizeof text) > 0) {
        snprintf(answer, sizeof answer, "%s: yes", text);
        say(fd, answer);
    }
    nap(30);                              /* it is not idle at once */
    CHECK(!close(fd));
}

/* Ends with its process. */
static void *work(void *first)
{
    for (int fd = (int)(intptr_t)first; ; ) {
        serve(fd);
        pthread_mutex_lock(&lock);
        idle++;
        while (waiting < 0)
            pthread_cond_wait(&change, &lock);
        fd = waiting;
        waiting = -1;
        pthread_mutex_unlock(&lock);
        pthread_cond_broadcast(&change);
    }
    return NULL;
}

static void hand_on(int fd)
{
    pthread_t thread;
    pthread_mutex_lock(&lock);
    while (waiting >= 0)
        pthread_cond_wait(&change, &lock);
    if (idle) {
        idle--;
        waiting = fd;
        pthread_cond_broadcast(&change);
    } else
        CHECK(!pthread_create(&thread, NULL, work, (void *)(intptr_t)fd));
    pthread_mutex_unlock(&lock);
}

static void call(const struct sockaddr_un *at)
{
    char text[64];
    for (int i = 0; i < CALLS; i++) {
        int fd = socket(AF_UNIX, SOCK_STREAM, 0);
        CHECK(fd >= 0 && connect(fd, (const struct sockaddr *)at, sizeof *at) == 0);
        CHECK(hear(fd, text, sizeof text) == 5 && !strcmp(text, "hello"));
        snprintf(text, sizeof text, "call %d", i);
        say(fd, text);
        CHECK(hear(fd, text, sizeof text) > 0);
        puts(text);
        CHECK(!close(fd));
        nap(60);
    }
    exit(0);
}

int main(void)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX, .sun_path = "socket"};
    unlink(at.sun_path);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    CHECK(fd >= 0 && bind(fd, (const struct sockaddr *)&at, sizeof at) == 0 && listen(fd, 8) == 0);
    pid_t caller = fork();
    if (caller == 0)
        call(&at);
    for (int i = 0; i < CALLS; i++) {
        int one = accept(fd, NULL, NULL);
        CHECK(one >= 0);
        hand_on(one);
    }
    CHECK(wait_for(caller) == 0);
    return guest_done();
}

/* A thread answers a client and has another thread watch the connection again, which gets its events no earlier.
 *
 * run: racing
 * engine: native (threads)
 * shows: accept, bind, connect, epoll_create1, epoll_ctl, epoll_wait, listen, poll, recvfrom, socket
 * source: poll, select, epoll; sockets inside the experiment
 */
#include "guest.h"
#include <poll.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/un.h>

enum { CALLS = 24 };

static struct caller { int fd; bool is_answered; } caller;       /* one after the other in the same place */
static pthread_barrier_t come;
static int watched;

/* Time that a replay takes as well. */
static void compute(void)
{
    for (volatile long i = 0; i < 4000000; i++)
        continue;
}

static void *answer(void *unused)
{
    char asked[16];
    for (int i = 0; i < CALLS; i++) {
        struct epoll_event e = {.events = EPOLLIN, .data.ptr = &caller};
        pthread_barrier_wait(&come);
        CHECK(read(caller.fd, asked, sizeof asked) == sizeof asked && write(caller.fd, asked, sizeof asked) == sizeof asked);
        compute();
        __atomic_store_n(&caller.is_answered, true, __ATOMIC_SEQ_CST);
        CHECK(epoll_ctl(watched, EPOLL_CTL_ADD, caller.fd, &e) == 0);
    }
    return unused;
}

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

static void serve(int listener)
{
    char rest[16];
    struct epoll_event e;
    int n;
    caller.fd = accept(listener, NULL, NULL);
    caller.is_answered = false;
    pthread_barrier_wait(&come);
    while ((n = epoll_wait(watched, &e, 1, 10000)) < 0 && errno == EINTR)
        continue;
    CHECK(n == 1 && e.data.ptr == &caller);
    CHECK(__atomic_load_n(&caller.is_answered, __ATOMIC_SEQ_CST));
    CHECK(epoll_ctl(watched, EPOLL_CTL_DEL, caller.fd, NULL) == 0);
    CHECK(read(caller.fd, rest, sizeof rest) == 0 && close(caller.fd) == 0);
}

int main(void)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX, .sun_path = "here"};
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    pthread_t answerer;
    CHECK(listener >= 0 && bind(listener, (struct sockaddr *)&at, sizeof at) == 0 && listen(listener, 8) == 0);
    pid_t child = fork();
    if (!child) {
        for (int i = 0; i < CALLS; i++)
            call(&at, i);
        exit(0);
    }
    CHECK((watched = epoll_create1(EPOLL_CLOEXEC)) >= 0 && pthread_barrier_init(&come, NULL, 2) == 0);
    CHECK(pthread_create(&answerer, NULL, answer, NULL) == 0);
    for (int i = 0; i < CALLS; i++)
        serve(listener);
    CHECK(pthread_join(answerer, NULL) == 0);
    wait_for(child);
    return guest_done();
}

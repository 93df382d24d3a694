/* Ways in which one node hands numbers to another, in order, and ways in which that one waits for them. */
#ifndef CHANNELS_H
#define CHANNELS_H
#include "../../guests/guest.h"

#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/uio.h>
#include <sys/un.h>

enum kind { PIPE, PAIR, DATAGRAMS, TCP, UNIX_STREAM, FIFO, SHARED, KINDS };
enum way { BLOCKS, POLLS, SELECTS, EPOLLS, TRIES, WAYS };
enum { ROOM = 4 };
static const char *const KIND_NAMES[] = {"pipe", "pair", "datagrams", "tcp", "unix stream", "fifo", "shared memory"};
static const char *const WAY_NAMES[] = {"blocks", "polls", "selects", "epolls", "tries"};

/* A queue in shared memory. */
struct shared {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int first, count;
    uint64_t number[ROOM];
};

struct channel {
    enum kind kind;
    enum way way;
    int from, to;       /* nodes */
    int number;
    int ends[2];        /* reading, writing; -1: not yet opened */
    struct shared *shared;
};

static void listen_at(struct channel *c)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    snprintf(at.sun_path, sizeof at.sun_path, "socket%d", c->number);
    c->ends[0] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(c->ends[0] >= 0 && bind(c->ends[0], (struct sockaddr *)&at, sizeof at) == 0 && listen(c->ends[0], 1) == 0);
}

static void open_shared(struct channel *c)
{
    pthread_mutexattr_t lock;
    pthread_condattr_t changed;
    c->shared = shared_page();
    CHECK(pthread_mutexattr_init(&lock) == 0 && pthread_mutexattr_setpshared(&lock, PTHREAD_PROCESS_SHARED) == 0);
    CHECK(pthread_condattr_init(&changed) == 0 && pthread_condattr_setpshared(&changed, PTHREAD_PROCESS_SHARED) == 0);
    CHECK(pthread_mutex_init(&c->shared->lock, &lock) == 0 && pthread_cond_init(&c->shared->changed, &changed) == 0);
}

/* What is made before the nodes begin. */
static void channel_open(struct channel *c)
{
    char name[64];
    c->ends[0] = c->ends[1] = -1;
    switch (c->kind) {
    case PIPE: CHECK(pipe2(c->ends, O_CLOEXEC) == 0); break;
    case PAIR: CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, c->ends) == 0); break;
    case DATAGRAMS: CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, c->ends) == 0); break;
    case TCP: connect_tcp(c->ends); break;
    case UNIX_STREAM: listen_at(c); break;
    case FIFO:
        snprintf(name, sizeof name, "fifo%d", c->number);
        CHECK(mkfifo(name, 0600) == 0);
        break;
    default: open_shared(c);
    }
}

/* What each node does itself, as it begins. */
static void channel_begin(struct channel *c, int is_writer)
{
    char name[64];
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    if (c->kind == FIFO) {
        snprintf(name, sizeof name, "fifo%d", c->number);
        CHECK((c->ends[is_writer] = open(name, (is_writer ? O_WRONLY : O_RDONLY) | O_CLOEXEC)) >= 0);
    } else if (c->kind == UNIX_STREAM && is_writer) {
        snprintf(at.sun_path, sizeof at.sun_path, "socket%d", c->number);
        c->ends[1] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        CHECK(c->ends[1] >= 0 && connect(c->ends[1], (struct sockaddr *)&at, sizeof at) == 0);
    } else if (c->kind == UNIX_STREAM) {
        int fd = accept4(c->ends[0], NULL, NULL, SOCK_CLOEXEC);
        CHECK(fd >= 0 && close(c->ends[0]) == 0);
        c->ends[0] = fd;
    }
}

static uint64_t shared_take(struct shared *s)
{
    pthread_mutex_lock(&s->lock);
    while (!s->count)
        pthread_cond_wait(&s->changed, &s->lock);
    uint64_t number = s->number[s->first];
    s->first = (s->first + 1) % ROOM;
    s->count--;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    return number;
}

static void shared_put(struct shared *s, uint64_t number)
{
    pthread_mutex_lock(&s->lock);
    while (s->count == ROOM)
        pthread_cond_wait(&s->changed, &s->lock);
    s->number[(s->first + s->count++) % ROOM] = number;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

static void wait_by_epoll(int fd)
{
    struct epoll_event event = {.events = EPOLLIN};
    int watch = epoll_create1(EPOLL_CLOEXEC);
    CHECK(watch >= 0 && epoll_ctl(watch, EPOLL_CTL_ADD, fd, &event) == 0);
    while (epoll_wait(watch, &event, 1, 20) <= 0) {
    }
    close(watch);
}

static void wait_for_number(int fd, enum way way)
{
    struct pollfd asked = {fd, POLLIN, 0};
    fd_set set;
    if (way == POLLS)
        while (poll(&asked, 1, 5) <= 0) {
        }
    if (way == SELECTS)
        do {
            FD_ZERO(&set);
            FD_SET(fd, &set);
        } while (select(fd + 1, &set, NULL, NULL, NULL) <= 0);
    if (way == EPOLLS)
        wait_by_epoll(fd);
    if (way == TRIES)
        while (poll(&asked, 1, 0) <= 0)
            usleep(300);
}

static uint64_t channel_take(struct channel *c)
{
    uint64_t number;
    size_t got = 0;
    if (c->kind == SHARED)
        return shared_take(c->shared);
    wait_for_number(c->ends[0], c->way);
    while (got < 8) {
        ssize_t n = read(c->ends[0], (char *)&number + got, 8 - got);
        CHECK(n > 0 || (n < 0 && errno == EINTR));
        got += n > 0 ? (size_t)n : 0;
    }
    return number;
}

static void channel_put(struct channel *c, uint64_t number)
{
    struct iovec parts[2] = {{&number, 3}, {(char *)&number + 3, 5}};
    if (c->kind == SHARED)
        shared_put(c->shared, number);
    else if (c->way == TRIES)
        CHECK(writev(c->ends[1], parts, 2) == 8);
    else
        CHECK(write(c->ends[1], &number, 8) == 8);
}

#endif

/* Ways in which one node hands numbers to another, in order, and ways in which that one waits for them. */
#ifndef CHANNELS_H
#define CHANNELS_H
#include "guest.h"

#include <pty.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/uio.h>
#include <sys/un.h>

enum kind { PIPE, PAIR, DATAGRAMS, TCP, UNIX_STREAM, FIFO, SHARED, REPLIES, UDP, TERMINAL, MESSAGES, LOOKED, HANDED, EVENTS, KINDS };
enum way { BLOCKS, POLLS, SELECTS, EPOLLS, TRIES, WAYS };
enum { ROOM = 4 };
static const char *const KIND_NAMES[] = {"pipe", "pair", "datagrams", "tcp", "unix stream", "fifo", "shared memory", "replies", "udp", "terminal",
    "messages", "file", "descriptors", "events"};
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
    int queue;
    bool is_answered;   /* of replies: the writer has put one that it has not heard of */
};

static void listen_at(struct channel *c)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    snprintf(at.sun_path, sizeof at.sun_path, "socket%d", c->number);
    c->ends[0] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(c->ends[0] >= 0 && bind(c->ends[0], (struct sockaddr *)&at, sizeof at) == 0 && listen(c->ends[0], 1) == 0);
}

static void connect_udp(int ends[2])
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    CHECK((ends[0] = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) >= 0 && (ends[1] = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) >= 0);
    CHECK(bind(ends[0], (struct sockaddr *)&at, sizeof at) == 0 && getsockname(ends[0], (struct sockaddr *)&at, &size) == 0);
    CHECK(connect(ends[1], (struct sockaddr *)&at, sizeof at) == 0);
}

static void open_terminal(int ends[2])
{
    struct termios raw;
    CHECK(openpty(&ends[0], &ends[1], NULL, NULL, NULL) == 0 && tcgetattr(ends[1], &raw) == 0);
    cfmakeraw(&raw);
    CHECK(tcsetattr(ends[1], TCSANOW, &raw) == 0);
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
    case HANDED: CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, c->ends) == 0); break;
    case REPLIES:
    case TCP: connect_tcp(c->ends); break;
    case UDP: connect_udp(c->ends); break;
    case TERMINAL: open_terminal(c->ends); break;
    case MESSAGES: CHECK((c->queue = msgget(IPC_PRIVATE, IPC_CREAT | 0600)) >= 0); break;
    case LOOKED:
        snprintf(name, sizeof name, "looked%d", c->number);
        CHECK((c->ends[1] = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644)) >= 0);
        CHECK((c->ends[0] = open(name, O_RDONLY | O_CLOEXEC)) >= 0);
        break;
    case EVENTS:
        open_shared(c);
        CHECK((c->ends[0] = c->ends[1] = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE)) >= 0);
        break;
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

struct message { long kind; uint64_t number; };

static int handed(int from)
{
    char byte, control[CMSG_SPACE(sizeof(int))];
    struct iovec bytes = {&byte, 1};
    struct msghdr m = {.msg_iov = &bytes, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    int fd;
    CHECK(recvmsg(from, &m, MSG_CMSG_CLOEXEC) == 1 && CMSG_FIRSTHDR(&m));
    memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof fd);
    return fd;
}

static void hand(int to, int fd)
{
    char byte = 'd', control[CMSG_SPACE(sizeof(int))] = "";
    struct iovec bytes = {&byte, 1};
    struct msghdr m = {.msg_iov = &bytes, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    *CMSG_FIRSTHDR(&m) = (struct cmsghdr){CMSG_LEN(sizeof fd), SOL_SOCKET, SCM_RIGHTS};
    memcpy(CMSG_DATA(CMSG_FIRSTHDR(&m)), &fd, sizeof fd);
    CHECK(sendmsg(to, &m, 0) == 1);
}

static void read_number(int fd, uint64_t *number)
{
    for (size_t got = 0; got < 8;) {
        ssize_t n = read(fd, (char *)number + got, 8 - got);
        CHECK(n > 0 || (n < 0 && errno == EINTR));
        got += n > 0 ? (size_t)n : 0;
    }
}

static uint64_t handed_number(int from)
{
    uint64_t number;
    int fd = handed(from);
    read_number(fd, &number);
    close(fd);
    return number;
}

static void hand_number(int to, uint64_t number)
{
    int ends[2];
    CHECK(pipe2(ends, O_CLOEXEC) == 0 && write(ends[1], &number, 8) == 8);
    hand(to, ends[0]);
    close(ends[0]);
    close(ends[1]);
}

static uint64_t event_number(struct channel *c)
{
    uint64_t one;
    CHECK(read(c->ends[0], &one, 8) == 8 && one == 1);
    return shared_take(c->shared);
}

/* The state of who takes it is what it answers. */
static uint64_t channel_take(struct channel *c, uint64_t state)
{
    uint64_t number = 0;
    struct message m;
    if (c->kind == SHARED)
        return shared_take(c->shared);
    if (c->kind == MESSAGES) {
        CHECK(msgrcv(c->queue, &m, 8, 1, 0) == 8);
        return m.number;
    }
    if (c->kind == LOOKED) {
        ssize_t n;
        while (!(n = read(c->ends[0], &number, 8)))
            usleep(300);
        CHECK(n == 8);
        return number;
    }
    wait_for_number(c->ends[0], c->way);
    if (c->kind == HANDED)
        return handed_number(c->ends[0]);
    if (c->kind == EVENTS)
        return event_number(c);
    read_number(c->ends[0], &number);
    if (c->kind == REPLIES)
        CHECK(write(c->ends[0], &state, 8) == 8);
    return number;
}

static void put_event(struct channel *c, uint64_t number)
{
    uint64_t one = 1;
    shared_put(c->shared, number);
    CHECK(write(c->ends[1], &one, 8) == 8);
}

/* What the writer's state takes in: the answer to what it put before. */
static uint64_t channel_put(struct channel *c, uint64_t number)
{
    struct iovec parts[2] = {{&number, 3}, {(char *)&number + 3, 5}};
    struct message m = {1, number};
    uint64_t answer = 0;
    if (c->is_answered) {
        wait_for_number(c->ends[1], c->way);
        read_number(c->ends[1], &answer);
    }
    c->is_answered = c->kind == REPLIES;
    if (c->kind == SHARED)
        shared_put(c->shared, number);
    else if (c->kind == MESSAGES)
        CHECK(msgsnd(c->queue, &m, 8, 0) == 0);
    else if (c->kind == HANDED)
        hand_number(c->ends[1], number);
    else if (c->kind == EVENTS)
        put_event(c, number);
    else if (c->way == TRIES)
        CHECK(writev(c->ends[1], parts, 2) == 8);
    else
        CHECK(write(c->ends[1], &number, 8) == 8);
    return answer;
}

/* By who opened it, when all have ended. */
static void channel_close(const struct channel *c)
{
    if (c->kind == MESSAGES)
        CHECK(msgctl(c->queue, IPC_RMID, NULL) == 0);
}

#endif

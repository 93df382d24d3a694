/* Replay: the engine in place of external servers.
 *
 * A connection of a threaded process to such a server is a local socket, as those within the experiment are, and the engine
 * holds its other end.  What the program sends is taken from its calls.  What replay/net/conversations.c finds for that is written to
 * it, in the chunks in which it was read.  So threads may send requests in any order, and wait in any way for answers. */
#include "base/base.h"
#include "log/log.h"
#include "replay/clock/clock.h"
#include "replay/net/internal.h"
#include "replay/net/net.h"
#include "replay/order/order.h"
#include "replay/peers/peers.h"
#include "replay/progress/delays.h"
#include "replay/progress/progress.h"
#include "replay/rules/rules.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <fcntl.h>
#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/un.h>

enum { FEW = 4096 };

static struct connection {
    ino_t inode;                     /* of the program's end */
    int fd;                          /* ours; -1 of one that fails, with the error that is still to be reported */
    int error;
    struct task *leader;
    struct caller caller;
    struct bytes asked;              /* and not yet found */
    struct datagrams datagrams;
    const struct reply **answer;
    size_t count, head, delivered;        /* replies that are due, the first left, and how much of it is delivered */
    uint64_t less;                   /* how much earlier the last question was than when recorded: answers are as well */
    bool waits;                      /* for the rest of a question, or to come to its end, which may never be */
} *connections;
static size_t connection_count;

/* Of the program: it may go on by itself, waits on this connection, or does nothing any more. */
enum patience { SOME, NONE, GONE };

/* ------------------------------------------------------------------ answers */

static const struct reply *next_reply(const struct connection *l)
{
    return l->head < l->count ? l->answer[l->head] : NULL;
}

static bool has_unread(const struct connection *l)
{
    int n = 0;
    return !ioctl(l->fd, SIOCOUTQ, &n) && n > 0;
}

/* Whether its reader waits and finds nothing, as it had before the reply came. */
static bool is_fruitless(const struct reply *reply)
{
    for (struct task *t = tasks; t && reply->fruitless; t = t->next)
        if (t->alive && t->fruitless && t->fruitless->record->task == reply->fruitless->record->task && t->fruitless->number <= reply->fruitless->number)
            return true;
    return false;
}

static bool is_due(const struct connection *l, struct task *t, enum patience patience)
{
    const struct reply *reply = l->answer[l->head];
    if (replay_runtime_left_by(t, reply->event, l->less))
        return false;
    if (patience == GONE && reply->n)
        talk_give_up(reply);
    bool is_early = !replay_runtime_goes(t) && ((reply->fruitless && !reply->fruitless->done) || is_fruitless(reply));
    return reply->n ? patience == GONE || (!is_early && talk_is_next(reply) && replay_has_arrived(t, reply->event)) : patience > SOME;
}

/* In the pieces that the log has: the next when that before it was read.  An end comes when it is waited for, as
 * the program may say something else before. */
static bool deliver(struct connection *l, struct task *t, enum patience patience)
{
    size_t before = l->head;
    while (l->head < l->count && !has_unread(l) && is_due(l, t, patience)) {
        const struct reply *reply = l->answer[l->head];
        const unsigned char *data = datagram_now(&l->datagrams, reply);
        ssize_t n = reply->n ? send(l->fd, data + l->delivered, reply->n - l->delivered, MSG_DONTWAIT | MSG_NOSIGNAL) : 0;
        if (!reply->n)
            shutdown(l->fd, SHUT_WR);
        if (n < 0 || (l->delivered += (size_t)n) < reply->n)
            break;
        reply->event->unsaid = false;
        l->delivered = 0;
        l->head++;
        patience = patience == GONE ? SOME : patience;
    }
    l->waits = l->asked.used || (l->head < l->count && !l->answer[l->head]->n && !has_unread(l));
    return l->head > before;
}

/* On all connections of the process: one answer may be what another has waited for. */
static void flow(struct task *t)
{
    bool moves = true;
    while (moves) {
        moves = false;
        for (size_t i = 0; i < connection_count; i++)
            moves |= connections[i].leader == t->leader && connections[i].head < connections[i].count && deliver(&connections[i], t, SOME);
    }
}

/* is_whole: all that was sent is this request, though with other bytes. */
static void take(struct connection *l, struct exchange *x, bool is_whole)
{
    size_t n = is_whole ? l->asked.used : x->question.used;
    bool is_next = l->caller.had_count && x == l->caller.had[l->caller.had_count - 1] + 1;
    while (!is_next && l->head < l->count && !l->answer[l->count - 1]->n)
        l->count--;                   /* the connection goes on */
    talk_take(&l->caller, x);
    const struct reply *first = exchange_reply(x, 0);
    const struct event *since = x->ask_count ? x->ask[x->ask_count - 1] : first ? first->event : NULL;
    if (since)
        l->less = replay_runtime_less(l->leader, since);
    if (n)
        memmove(l->asked.data, l->asked.data + n, l->asked.used - n);
    l->asked.used -= n;
    datagrams_found(&l->datagrams, &x->numbers);
    for (size_t i = 0; i < x->count; i++) {
        l->answer = grow(l->answer, l->count, sizeof *l->answer);
        l->answer[l->count++] = exchange_reply(x, i);
    }
}

static void answer(struct connection *l, struct task *t, enum patience patience)
{
    struct exchange *x;
    while (l->asked.used && (x = talk_exchange(&l->caller, &l->asked, patience > SOME))) {
        bool is_other = x->question.used > l->asked.used || memcmp(x->question.data, l->asked.data, x->question.used);
        if (is_other)
            replay_diverged(t, x->ask[0], "asked in other words");
        take(l, x, is_other);
    }
    if (l->asked.used && patience > SOME) {
        replay_diverged(t, NULL, "not in the log");
        l->asked.used = 0;
        shutdown(l->fd, SHUT_WR);
    }
    deliver(l, t, patience);
    flow(t);
}

/* ------------------------------------------------------------------ connections */

static struct connection *connection_of(struct task *t, int fd)
{
    struct stat st;
    if (!connection_count || !stat_of_fd(t->tid, fd, &st))
        return NULL;
    for (size_t i = 0; i < connection_count; i++)
        if (connections[i].inode == st.st_ino)
            return &connections[i];
    return NULL;
}

const struct talk *replay_line_talk(struct task *t)
{
    const struct connection *l = connection_of(t, (int)t->args[0]);
    return l ? l->caller.talk : NULL;
}

static void hang_up(struct connection *l)
{
    close(l->fd);
    bytes_free(&l->asked);
    datagrams_free(&l->datagrams);
    talk_left(&l->caller);
    free(l->answer);
    free(l->caller.had);
    *l = connections[--connection_count];
}

/* What had its number before has been closed. */
void replay_line_new(const struct stat *st)
{
    for (size_t i = connection_count; i-- > 0; )
        if (connections[i].inode == st->st_ino)
            hang_up(&connections[i]);
}

/* The program has closed its end. */
static bool is_over(const struct connection *l)
{
    struct pollfd p = {l->fd, 0, 0};
    return l->datagrams.on ? datagrams_over(l->fd) : poll(&p, 1, 0) > 0 && p.revents & POLLHUP;
}

static struct connection *begin(struct task *t, int fd, int own, struct talk *talk)
{
    struct stat st = {0};                 /* where its descriptor could not be borrowed */
    struct exchange *greeting;
    for (size_t i = connection_count; i-- > 0; )
        if (is_over(&connections[i]))
            hang_up(&connections[i]);
    fstat(fd, &st);
    replay_line_new(&st);
    connections = grow(connections, connection_count, sizeof *connections);
    struct connection *l = &connections[connection_count++];
    *l = (struct connection){.inode = st.st_ino, .fd = own, .leader = t->leader, .caller = {.talk = talk}};
    if (talk_never_came(talk))
        door_shut(fd);
    else if ((greeting = talk_greeting(&l->caller)))
        take(l, greeting, false);
    answer(l, t, SOME);
    return l;
}

static struct connection *begin_datagrams(struct task *t, int fd, const struct address *to)
{
    struct talk *talk = talk_next(t, to, true);
    if (!talk)
        return NULL;
    door_bind_own(fd, to, talk);
    struct connection *l = begin(t, fd, datagrams_end(fd, to), talk);
    l->datagrams.on = true;
    l->datagrams.numbered = peers_numbered(to);
    return l;
}

/* A non-blocking connect learns later that it failed. */
static void fail(struct task *t, int fd, struct talk *talk)
{
    bool is_later = talk_fails_later(talk) && fcntl(fd, F_GETFL) & O_NONBLOCK;
    if (is_later)
        begin(t, fd, -1, talk)->error = talk_error(talk);
    skip_call(t, is_later ? -EINPROGRESS : -talk_error(talk));
}

bool replay_line_connect(struct task *t, int fd, const struct address *to)
{
    struct connection *before = connection_of(t, (int)t->args[0]);
    bool is_datagrams = inside_datagrams(fd);
    struct talk *talk = (before && before->fd >= 0) || is_datagrams ? NULL : talk_next(t, to, false);
    struct sockaddr_un u;
    socklen_t n;
    if (before && (before->fd >= 0 || before->error)) {
        skip_call(t, before->fd >= 0 ? -EISCONN : -before->error);
        before->error = 0;
        return true;
    }
    if (is_datagrams && begin_datagrams(t, fd, to)) {
        skip_call(t, 0);
        return true;
    }
    if (talk && talk_error(talk))
        fail(t, fd, talk);
    if (!talk || talk_error(talk))
        return talk;
    int door = door_at(to, &u, &n);
    door_bind_own(fd, to, talk);
    if (connect(fd, (void *)&u, n)) {
        skip_call(t, -errno);
        return true;
    }
    begin(t, fd, accept4(door, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK), talk);
    skip_call(t, to->a.ss_family != AF_UNIX && fcntl(fd, F_GETFL) & O_NONBLOCK ? -EINPROGRESS : 0);
    return true;
}

/* ------------------------------------------------------------------ calls */

static bool says(struct task *t, struct connection *l)
{
    skip_call(t, talk_gather(t, &l->asked, &l->datagrams));
    answer(l, t, SOME);
    talk_said(&l->caller, &l->asked);
    return true;
}

static bool does_wait(struct task *t)
{
    return !tries_socket(t->nr, t->args) && !(flags_of_fd(t->tid, (int)t->args[0], O_NONBLOCK) & O_NONBLOCK);
}

/* While one thread waits for the answer, another may send the rest of the request. */
static bool goes_on(const struct task *t, const struct connection *l)
{
    return t->leader->threads > 1 && talk_may_go_on(&l->caller, &l->asked);
}

static bool hears(struct task *t, struct connection *l)
{
    flow(t);
    if (l->waits && does_wait(t) && !goes_on(t, l))
        answer(l, t, NONE);
    struct user_regs_struct r = t->regs;
    r.r8 = r.r9 = 0;                  /* whose it is shows by the connection */
    if (t->nr == REX_NR_recvfrom)
        regs_set(t, &r);
    return t->want_exit = true;
}

static bool give_error(struct task *t, struct connection *l)
{
    if (!l->error || t->args[1] != SOL_SOCKET || t->args[2] != SO_ERROR)
        return false;
    mem_write(t->tid, t->args[3], &l->error, sizeof l->error);
    l->error = 0;
    skip_call(t, 0);
    return true;
}

/* Of the first datagram, which names where it goes to, on a socket that is not connected. */
static struct connection *begin_by_saying(struct task *t)
{
    struct address to;
    int fd = peers_says(t->nr) && address_sent_to(t, &to) ? borrow(t, (int)t->args[0]) : -1;
    struct connection *l = fd >= 0 && inside_datagrams(fd) ? begin_datagrams(t, fd, &to) : NULL;
    if (fd >= 0)
        close(fd);
    return l;
}

bool replay_line_call(struct task *t)
{
    struct connection *l = connection_of(t, (int)t->args[0]);
    if (!l && !(l = begin_by_saying(t)))
        return false;
    if (l->error && (pipe_gives(t->nr) || pipe_takes(t->nr))) {
        skip_call(t, -l->error);
        l->error = 0;
        return true;
    }
    if (l->fd < 0)
        return t->nr == REX_NR_getsockopt && give_error(t, l);
    if (peers_says(t->nr))
        return says(t, l);
    if (pipe_takes(t->nr))
        return hears(t, l);
    if (t->nr == REX_NR_shutdown && t->args[1] != SHUT_RD && l->waits)
        answer(l, t, NONE);
    return false;
}

void replay_line_returned(struct task *t)
{
    if (pipe_takes(t->nr) && connection_of(t, (int)t->args[0]))
        flow(t);
}

/* An end comes to who waits for it. */
void replay_lines_awaited(struct task *t)
{
    static struct pollfd fds[FEW];
    bool is_poll = call_of(t->nr)->hook == REX_HOOK_POLL;
    size_t count = is_poll && t->args[1] <= FEW && mem_read(t->tid, t->args[0], fds, t->args[1] * sizeof *fds) ? t->args[1] : 0;
    if (only_looks(t->nr, t->args))
        return;
    for (size_t i = 0; i < connection_count; i++) {
        struct connection *l = &connections[i];
        bool is_asked = !is_poll && call_of(t->nr)->hook == REX_HOOK_EPOLL_WAIT;
        if (!l->waits || l->asked.used || l->leader != t->leader)
            continue;
        for (size_t k = 0; k < count && !is_asked; k++)
            is_asked = files_inside(t->files, fds[k].fd) && connection_of(t, fds[k].fd) == l;
        if (is_asked)
            deliver(l, t, NONE);
    }
}

void replay_lines_waited(struct task *t)
{
    if (t->fruitless) {
        t->fruitless = NULL;
        flow(t);
    }
}

/* ------------------------------------------------------------------ meanwhile */

/* So far it is what the log has, and that was never answered: the rest may come whenever it does. */
static bool is_unanswered(const struct connection *l)
{
    const struct exchange *x = l->asked.used ? talk_exchange(&l->caller, &l->asked, true) : NULL;
    return x && !x->count && x->question.used > l->asked.used && !memcmp(x->question.data, l->asked.data, l->asked.used);
}

/* A task of the process, if all of it has done nothing for a while; and all other processes that are to say something. */
static struct task *sleeper(const struct connection *l)
{
    struct task *any = NULL;
    const struct reply *reply = next_reply(l);
    bool others_rest = true;
    for (struct task *t = tasks; t; t = t->next) {
        bool rests = t->held || replay_rests_for(t, RESTS_NS);
        if (t->leader != l->leader)
            others_rest &= rests;
        else if (!rests)
            return NULL;
        else if (t->alive)
            any = t;
    }
    return any && (others_rest || !reply || !reply->n || replay_has_arrived(any, reply->event)) ? any : NULL;
}

/* A connection with a request is answered before others get what they did not request, or get more. */
static uint64_t rank_of(const struct connection *l)
{
    const struct reply *reply = next_reply(l);
    return reply ? (uint64_t)(reply->after != 0) << 32 | reply->event->number : 0;
}

/* How long it is until the next reply comes to a runtime that schedules by the clock. */
ull replay_lines_left(void)
{
    ull least = 0;
    for (size_t i = 0; i < connection_count; i++) {
        const struct connection *l = &connections[i];
        const struct reply *reply = next_reply(l);
        ull left = reply ? replay_runtime_left_by(l->leader, reply->event, l->less) : 0;
        if (!left && reply && reply->n && replay_runtime_goes(l->leader) && !has_unread(l))
            left = 1;                 /* it is due */
        least = left && (!least || left < least) ? left : least;
    }
    return least;
}

/* A request that was not sent to its end, was sent with other bytes, or had others before it: once the program does nothing else,
 * the first of these. */
void replay_lines_settle(void)
{
    static ull looked;
    struct connection *first = NULL;
    if (!connection_count || log_now() - looked < QUIET_NS)
        return;
    looked = log_now();
    for (size_t i = 0; i < connection_count; i++)
        if (connections[i].head < connections[i].count && replay_runtime_goes(connections[i].leader))
            deliver(&connections[i], connections[i].leader, SOME);
    for (size_t i = 0; i < connection_count; i++) {
        const struct reply *reply = next_reply(&connections[i]);
        bool is_left = connections[i].fd >= 0 && ((connections[i].asked.used && !is_unanswered(&connections[i])) || (reply && !has_unread(&connections[i]) && !is_fruitless(reply)));
        if (is_left && (!first || rank_of(&connections[i]) < rank_of(first)))
            first = &connections[i];
    }
    struct task *t = first ? sleeper(first) : NULL;
    if (t)
        answer(first, t, GONE);
}

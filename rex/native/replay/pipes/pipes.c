/* Replay of what a process moves through inner pipes that it watches: as many bytes as the log says.
 *
 * The tracer takes the bytes itself, or hands them on, a part at a time: the process has all of them
 * when its call returns.  Reads of one pipe by several processes keep their order, and so do writes; of those that take turns
 * the bytes count, as of the standard output (replay/pipes/output.c). */
#include "base/base.h"
#include "log/log.h"
#include "mode/mode.h"
#include "replay/index/index.h"
#include "replay/match/match.h"
#include "replay/pipes/internal.h"
#include "replay/pipes/pipes.h"
#include "replay/rules/rules.h"
#include "replay/send/send.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"
#include "track/track.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

static const struct record *of(const struct event *e)
{
    return e->record;
}

static long call_in(const struct event *e)
{
    return (long)of(e)->args[0];
}

static bool is_turn(const struct record *r)
{
    return r->args[3] == IS_TURN || r->args[3] == IS_LAST_TURN;
}

static uint64_t left_of(const struct event *e)
{
    return (uint64_t)of(e)->result - e->written;
}

/* Events that must have happened before: other processes' reads of the same pipe, or writes to it. */
void replay_pipes_start(void)
{
    static struct table last;
    replay_arrivals_start();
    for (size_t i = 0; i < event_count; i++) {
        const struct record *r = events[i].record;
        bool takes = pipe_takes(call_in(&events[i]));
        if (r->call != EVENT_PIPE || r->result <= 0 || is_arrival(r) || !(takes || pipe_gives(call_in(&events[i]))))
            continue;
        struct event **at = (struct event **)table_at_file(&last, takes, r->args[2]);
        events[i].before = *at;
        *at = &events[i];
    }
}

static bool is_socket(int fd)
{
    struct stat st;
    return !fstat(fd, &st) && S_ISSOCK(st.st_mode);
}

/* Kernels do not let a single call on a FIFO go without waiting, where it was opened by its name: then a descriptor of our own does. */
static ssize_t move_now(int fd, void *at, size_t n, bool takes)
{
    struct iovec v = {at, n};
    ssize_t some = takes ? preadv2(fd, &v, 1, -1, RWF_NOWAIT) : pwritev2(fd, &v, 1, -1, RWF_NOWAIT);
    if (some >= 0 || errno != EOPNOTSUPP)
        return some;
    char name[64];
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    int own = open(name, (takes ? O_RDONLY : O_WRONLY) | O_NONBLOCK | O_CLOEXEC);
    if (own < 0)
        return -1;
    some = takes ? read(own, at, n) : write(own, at, n);
    int problem = errno;
    close(own);
    errno = problem;
    return some;
}

static ssize_t take(int fd, void *to, size_t n)
{
    return is_socket(fd) ? recv(fd, to, n, MSG_DONTWAIT) : move_now(fd, to, n, true);
}

static ssize_t give(int fd, const void *from, size_t n)
{
    return is_socket(fd) ? send(fd, from, n, MSG_DONTWAIT | MSG_NOSIGNAL) : move_now(fd, (void *)(uintptr_t)from, n, false);
}

/* With what only the kernel can hand over: descriptors, credentials, a look without taking. */
static bool is_left_to_kernel(struct task *t)
{
    struct msghdr m;
    switch (t->nr) {
    case REX_NR_recvfrom:
        return t->args[3] & ~(uint64_t)(MSG_DONTWAIT | MSG_WAITALL | MSG_NOSIGNAL) || t->args[4];
    case REX_NR_sendto:
        return t->args[3] & ~(uint64_t)(MSG_DONTWAIT | MSG_NOSIGNAL) || t->args[4];
    case REX_NR_recvmsg: case REX_NR_sendmsg:
        return !mem_read(t->tid, t->args[1], &m, sizeof m) || m.msg_controllen || m.msg_namelen
            || t->args[2] & ~(uint64_t)(MSG_DONTWAIT | MSG_WAITALL | MSG_NOSIGNAL | MSG_CMSG_CLOEXEC);
    }
    return false;
}

static bool is_ready(int fd, short what)
{
    struct pollfd p = {fd, what, 0};
    return poll(&p, 1, 0) > 0;
}

/* Whether as much is there, or no more will come: the kernel gives what there is. */
static bool has_enough(int fd, int64_t n)
{
    struct pollfd p = {fd, POLLIN, 0};
    int there = 0;
    return poll(&p, 1, 0) > 0 && (p.revents & (POLLHUP | POLLERR) || ioctl(fd, FIONREAD, &there) || there >= n);
}

static bool read_from(struct task *t, const struct event *e, int fd)
{
    size_t n = (size_t)of(e)->result;
    if (files_counts(t->files, (int)t->args[0])) {
        take(fd, bytes_reserve(&pipe_state(t)->moved, n), n);        /* what has been counted by now: the log has its value */
        pipe_state(t)->moved.used = n;
        return true;
    }
    while (pipe_state(t)->moved.used < n) {
        ssize_t some = take(fd, bytes_reserve(&pipe_state(t)->moved, n - pipe_state(t)->moved.used), n - pipe_state(t)->moved.used);
        if (some <= 0)
            return some == 0 || (errno != EAGAIN && errno != EINTR);
        pipe_state(t)->moved.used += (size_t)some;
    }
    return true;
}

/* Who reads has gone earlier than when recorded: then it had not read these bytes either. */
static bool write_to(struct task *t, const struct event *e, int fd)
{
    size_t n = (size_t)left_of(e);
    if (!pipe_state(t)->moved.used)
        pipe_gather(t, &pipe_state(t)->moved, n);
    while (pipe_state(t)->moved_away < pipe_state(t)->moved.used) {
        ssize_t some = give(fd, pipe_state(t)->moved.data + pipe_state(t)->moved_away, pipe_state(t)->moved.used - pipe_state(t)->moved_away);
        if (some < 0)
            return errno != EAGAIN && errno != EINTR;
        pipe_state(t)->moved_away += (size_t)some;
    }
    return true;
}

static bool is_blocking(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && !(flags & O_NONBLOCK);
}

/* Whether the move has been made, or can be left to the kernel now. */
bool replay_pipe_ready(struct task *t, const struct event *e)
{
    if (is_arrival(of(e)))
        return replay_arrival_comes(t, e);
    if (e->before && !e->before->done && of(e->before)->task != of(e)->task)
        return false;
    if (of(e)->result <= 0 || pipe_asks(t))
        return true;
    int fd = borrow(t, (int)t->args[0]);
    if (fd < 0)
        return true;
    bool takes = pipe_takes(t->nr), ready;
    if (is_left_to_kernel(t))
        ready = takes ? has_enough(fd, of(e)->result) : is_ready(fd, POLLOUT);
    else if (takes)
        ready = read_from(t, e, fd);
    else
        ready = is_blocking(fd) || write_to(t, e, fd);
    close(fd);
    return ready;
}

bool replay_pipes_wait(void)
{
    for (struct task *t = tasks; t; t = t->next)
        if (t->alive && t->held && t->matched && of(t->matched)->call == EVENT_PIPE)
            return true;
    return false;
}

/* As much has been written in turn as the call had: a part of the event, or more, as what is passed on is what there was. */
static void went(struct task *t, struct event *e, uint64_t n)
{
    while (e && of(e)->result > 0 && is_turn(of(e))) {
        uint64_t part = n < left_of(e) ? n : left_of(e);
        e->written += (uint32_t)part;
        n -= part;
        if (left_of(e))
            return;
        if (of(e)->args[3] == IS_LAST_TURN)
            pipe_turns_end(t, (int)of(e)->args[1]);
        replay_done(e);
        e = n ? replay_queue(t->task_log, EVENT_PIPE, e->key) : NULL;
    }
}

static void finish(struct task *t, struct event *e, int64_t result)
{
    bool in_turn = is_turn(of(e)) && result > 0;
    if (in_turn)
        went(t, e, (uint64_t)result);
    pipe_state(t)->moved.used = pipe_state(t)->moved_away = 0;
    if (!in_turn || e->done)
        replay_send_with(t, e);
    skip_call(t, result);
    if (!in_turn)
        replay_done(e);
}

/* A message that is received into buffers that hold no more than the rest of it. */
enum { PARTS = 16 };
struct message { struct msghdr head; struct iovec part[PARTS]; };

static bool limit_message(struct task *t, const struct event *e, struct user_regs_struct *r)
{
    struct message m;
    uint64_t left = left_of(e);
    size_t i = 0;
    if (!mem_read(t->tid, t->args[1], &m.head, sizeof m.head) || m.head.msg_iovlen > PARTS
        || !mem_read(t->tid, (uint64_t)m.head.msg_iov, m.part, m.head.msg_iovlen * sizeof *m.part))
        return true;
    if (!scratch_ready(t))
        return false;
    for (; i < m.head.msg_iovlen && left; left -= m.part[i++].iov_len)
        m.part[i].iov_len = left < m.part[i].iov_len ? left : m.part[i].iov_len;
    m.head.msg_iovlen = i;
    m.head.msg_iov = (void *)(scratch_put(t, "", 1) + offsetof(struct message, part));
    r->rsi = scratch_put(t, &m, offsetof(struct message, part) + i * sizeof *m.part);
    return true;
}

/* What the kernel has written there. */
static void correct_message(struct task *t)
{
    struct msghdr m, own;
    uint64_t at = t->nr == REX_NR_recvmsg ? regs_get(t).rsi : t->args[1];
    if (at == t->args[1] || !mem_read(t->tid, at, &m, sizeof m) || !mem_read(t->tid, t->args[1], &own, sizeof own))
        return;
    m.msg_iov = own.msg_iov;
    m.msg_iovlen = own.msg_iovlen;
    mem_write(t->tid, t->args[1], &m, sizeof m);
}

/* The requested size, but no more than moved when recorded. */
static void limit(struct task *t, const struct event *e)
{
    struct user_regs_struct r = t->regs;
    unsigned moves = call_of(t->nr)->arg[1].word;
    bool counted = moves != REX_WORD_IOV && moves != REX_WORD_MSGHDR;
    if (counted && left_of(e) < r.rdx)
        r.rdx = left_of(e);
    if (t->nr == REX_NR_recvmsg && !limit_message(t, e, &r))
        return;                           /* it comes again */
    regs_set(t, &r);
    t->want_exit = true;
}

void replay_pipe(struct task *t, struct event *e)
{
    const struct record *r = of(e);
    const struct field *logged = record_field(r, FIELD_WHOLE, FIELD_OUT);
    if (is_arrival(r)) {
        replay_arrival_limit(t, e);
        return;
    }
    if (r->result > 0 && (is_left_to_kernel(t) || (pipe_gives(t->nr) && !pipe_state(t)->moved.used))) {
        limit(t, e);
        return;
    }
    if (r->result > 0 && pipe_takes(t->nr))
        pipe_scatter(t, &pipe_state(t)->moved);
    if (logged && logged->arg < 6 && logged->length <= 8)
        mem_write(t->tid, t->args[logged->arg], logged->data, logged->length);
    finish(t, e, (pipe_takes(t->nr) || is_turn(r)) && r->result > 0 ? (int64_t)pipe_state(t)->moved.used : r->result);
}

/* Of a call that the kernel ran. */
void replay_pipe_exit(struct task *t, struct event *e, int64_t result)
{
    if (is_arrival(of(e))) {
        replay_arrival_came(t, e, result);
        return;
    }
    correct_message(t);
    if (t->nr == REX_NR_recvmsg && result >= 0)
        rights_arrive(t);
    pipe_state(t)->moved.used = pipe_state(t)->moved_away = 0;
    t->lost_reader = result == -EPIPE && op_of(t->nr) != REX_OP_SEND;
    if (result == -EPIPE || result == -EAGAIN)
        result = is_turn(of(e)) && t->nr == REX_NR_write ? (int64_t)regs_get(t).rdx : of(e)->result;
    else if (is_turn(of(e)) ? result < 0 : result != of(e)->result)
        replay_diverged(t, e, "moved another number of bytes");
    give_result(t, result);
    if (is_turn(of(e)) && result > 0)
        went(t, e, (uint64_t)result);
    else
        replay_done(e);
}

static void freed(struct task *t)
{
    if (has_module_state(t, PIPES_STATE))
        bytes_free(&pipe_state(t)->moved);
}

const struct observer moved_observer = {.freed = freed};

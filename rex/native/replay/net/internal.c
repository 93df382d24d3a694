/* Replay: connections between threaded processes of the experiment are made again, as their pipes are.
 *
 * They are local sockets of the kernel, whatever they were: nothing leaves the experiment, ports of this
 * machine do not matter, and the kernel decides about data, ends and readiness.  Only addresses are
 * translated.  Each has a number here, and the kernel's name of it has that number: so the kernel can
 * give its addresses to any process that has a descriptor of it. */
#include "base/base.h"
#include "log/log.h"
#include "replay/files/files.h"
#include "replay/index/index.h"
#include "replay/match/match.h"
#include "replay/net/internal.h"
#include "replay/net/net.h"
#include "replay/peers/peers.h"
#include "replay/tasks/tasks.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"
#include "track/track.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/un.h>

static bool address_in(struct task *t, struct address *a)
{
    memset(a, 0, sizeof *a);
    a->n = (socklen_t)t->args[2];
    bool is_read = t->args[2] <= sizeof a->a && mem_read(t->tid, t->args[1], &a->a, a->n);
    address_trim(a);
    return is_read;
}

/* Written to where a call wants it, as far as its buffer reaches. */
static void put_address(struct task *t, uint64_t at, uint64_t size_at, const struct address *a)
{
    socklen_t room = 0;
    if (!at || !size_at || !mem_read(t->tid, size_at, &room, sizeof room))
        return;
    mem_write(t->tid, at, &a->a, room < a->n ? room : a->n);
    mem_write(t->tid, size_at, &a->n, sizeof a->n);
}

/* ------------------------------------------------------------------ being there */

/* The call is on a socket outside: what the log has of that from here on answers it. */
static bool is_outside(struct task *t, int fd, const struct address *a)
{
    const struct event *e = peers_outside(t, a, inside_datagrams(fd));
    if (!e)
        return false;
    for (size_t i = 0; i < e->number; i++)
        if (events[i].record->stream == e->record->stream)
            replay_done(&events[i]);
    files_set(t->files, (int)t->args[0], e->record->stream);
    call_streams(t);
    return true;
}

static bool at_kernel_name(struct task *t, long nr, size_t number)
{
    struct sockaddr_un u;
    socklen_t n = inside_kernel_name(&u, number);
    if (!scratch_ready(t))
        return true;
    change_call(t, nr, t->args[0], scratch_put(t, &u, sizeof u), n, t->args[3]);
    return true;
}

static bool bind_inside(struct task *t, int fd)
{
    struct address a;
    if (!address_in(t, &a) || (!peers_listen_at(&a) && is_outside(t, fd, &a)))
        return false;
    if (!t->space->scratch)
        return !scratch_ready(t);
    struct event *e = peers_bind(t, &a);
    if (a.a.ss_family != AF_UNIX && !address_port(&a))
        address_set_port(&a, e ? (unsigned)e->record->args[4] : peers_new_port());
    if (e && a.a.ss_family == AF_UNIX)
        overlay_bind(t, e->record);
    return at_kernel_name(t, REX_NR_bind, inside_bind(&a));
}

/* The caller's end has an address, too: where the program has bound it to any, it is at the one that it calls. */
static void bind_caller(struct task *t, int fd, const struct address *to)
{
    struct sockaddr_un u;
    socklen_t bound = sizeof u;
    struct address own = *to, *at = getsockname(fd, (void *)&u, &bound) ? NULL : inside_meant_by(&u, bound);
    if (at) {
        if (address_is_any(at))
            address_copy_number(at, to);
        return;
    }
    const struct event *e = peers_connect(t, to);
    if (to->a.ss_family == AF_UNIX)
        return;
    address_set_port(&own, e && e->record->args[4] ? (unsigned)e->record->args[4] : peers_new_port());
    bind(fd, (void *)&u, inside_name(&u, &own));
}

static bool connect_inside(struct task *t, int fd)
{
    struct address to;
    if (!address_in(t, &to))
        return false;
    if (!peers_listen_at(&to) && (is_outside(t, fd, &to) || replay_line_connect(t, fd, &to)))
        return !t->stream;
    size_t number;
    if (!inside_listener(&to, &number)) {
        skip_call(t, to.a.ss_family == AF_UNIX ? -ENOENT : -ECONNREFUSED);
        return true;
    }
    if (!scratch_ready(t))
        return true;
    bind_caller(t, fd, &to);
    return at_kernel_name(t, REX_NR_connect, number);
}

/* ------------------------------------------------------------------ calls */

static bool accept_inside(struct task *t)
{
    socklen_t n = sizeof(struct sockaddr_un);
    if (!scratch_ready(t))
        return true;
    uint64_t at = scratch_put(t, &n, sizeof n);
    change_call(t, t->nr, t->args[0], at + 16, at, t->args[3]);
    return true;
}

static bool give_address(struct task *t, int fd)
{
    struct address a;
    if (!inside_exact_end(fd, t->nr == REX_NR_getsockname, &a))
        skip_call(t, -ENOTCONN);
    else {
        put_address(t, t->args[1], t->args[2], &a);
        skip_call(t, 0);
    }
    return true;
}

static bool is_bound(int fd)
{
    struct sockaddr_un u;
    socklen_t n = sizeof u;
    return !getsockname(fd, (void *)&u, &n) && n > sizeof(sa_family_t);
}

/* Whether the kernel is to run it as it is. */
static bool see_to(struct task *t, int fd)
{
    struct user_regs_struct r = t->regs;
    if (op_of(t->nr) == REX_OP_ACCEPT)
        return accept_inside(t);
    if (op_of(t->nr) == REX_OP_SOCKNAME)
        return give_address(t, fd);
    if (op_of(t->nr) == REX_OP_WRITE)     /* the peer may be gone by now */
        return t->want_exit = true;
    switch (t->nr) {
    case REX_NR_bind:
        return bind_inside(t, fd);
    case REX_NR_connect:
        return connect_inside(t, fd);
    case REX_NR_listen:                   /* as many as come: the kernel would not refuse them over a network either */
        if (!is_bound(fd) && is_outside(t, fd, NULL))
            return false;
        change_call(t, t->nr, t->args[0], 4096, 0, 0);
        return true;
    case REX_NR_getsockopt:
        return replay_get_option(t, fd, inside_family(fd));
    case REX_NR_setsockopt:
        return replay_sets_option(t, fd);
    case REX_NR_recvfrom: case REX_NR_sendto:
        r.r8 = r.r9 = 0;                  /* whose it is shows by the connection */
        regs_set(t, &r);
        t->want_exit = true;
        return true;
    case REX_NR_sendmsg:
        rights_leave(t);
        t->want_exit = true;
        return true;
    case REX_NR_recvmsg:
        t->deref = 0;
        mem_read(t->tid, t->args[1] + offsetof(struct msghdr, msg_namelen), &t->deref, sizeof t->deref);
        t->want_exit = true;
        return true;
    }
    return false;
}

static bool names_socket(struct task *t)
{
    int at = t->nr == REX_NR_epoll_ctl ? 2 : 0;
    return call_of(t->nr)->fd_args & 1 << at && files_inside(t->files, (int)t->args[at]);
}

bool replay_inside_call(struct task *t)
{
    if (!names_socket(t) || is_descriptor_call(t) || is_readiness_wait(call_of(t->nr)))
        return false;
    t->only_waits = false;
    if (t->nr == REX_NR_epoll_ctl)
        return true;
    if (replay_line_call(t)) {
        t->inside = t->want_exit;
        return true;
    }
    int fd = borrow(t, (int)t->args[0]);
    bool seen = see_to(t, fd);

    close(fd);
    t->inside = seen && t->want_exit && !t->then;
    return seen;
}

/* The log's next socket of this kind: of others it may have more, or fewer. */
static struct event *same_kind(struct task *t)
{
    struct event *e = replay_queue(t->task_log, t->nr, call_key(call_of(t->nr), t->nr, NULL, 0, t->args));
    while (e && (e->done || e->record->args[0] != t->args[0] || e->record->args[1] != t->args[1]))
        e = e->next[0];
    return e;
}

/* Of a process with threads: whether it is one inside shows as it is connected or bound. */
bool replay_inside_socket(struct task *t)
{
    bool fits = peers_make_datagrams(t) || ((t->args[1] & 0xf) == SOCK_STREAM && (t->args[0] == AF_INET || t->args[0] == AF_INET6 || t->args[0] == AF_UNIX));
    if (t->nr != REX_NR_socket || !peers_decide_late(t->task_log))
        return false;
    t->matched = same_kind(t);
    if (!fits || (t->matched && t->matched->record->result < 0))
        return false;
    if (t->matched)
        replay_done(t->matched);
    t->matched = NULL;
    change_call(t, REX_NR_socket, AF_UNIX, t->args[1], 0, 0);
    t->inside = true;
    return true;
}

static void accepted(struct task *t, int fd)
{
    int own = borrow(t, fd), family = own < 0 ? AF_UNIX : 0;
    struct address a;
    if (!family && inside_end(own, true, &a))
        inside_set_family(own, a.a.ss_family);
    files_set(t->files, fd, (uint32_t)SOCKET_INSIDE);
    if (own >= 0 && inside_end(own, false, &a))
        put_address(t, t->args[1], t->args[2], &a);
    if (own >= 0)
        close(own);
}

static void made(struct task *t, int fd)
{
    int own = borrow(t, fd);
    struct stat st;
    files_set(t->files, fd, (uint32_t)SOCKET_INSIDE);
    if (own < 0)
        return;
    if (!fstat(own, &st)) {
        replay_line_new(&st);
        replay_options_forget(st.st_ino);
    }
    inside_set_family(own, (int)t->args[0]);
    close(own);
}

/* Over a network a non-blocking connect learns of its connection later. */
static int64_t connected(struct task *t, int64_t result)
{
    int fd = borrow(t, (int)t->args[0]);
    if (fd >= 0 && result == 0 && inside_family(fd) != AF_UNIX && fcntl(fd, F_GETFL) & O_NONBLOCK)
        result = -EINPROGRESS;
    if (fd >= 0)
        close(fd);
    return result;
}

static int64_t option_set(struct task *t, int64_t result)
{
    int fd = borrow(t, (int)t->args[0]);
    replay_option_set(t, fd, result);
    close(fd);
    return 0;
}

/* With the sender's address, which only local sockets report. */
static void received(struct task *t)
{
    struct msghdr m = {0};
    struct address a = {0};
    int fd = borrow(t, (int)t->args[0]);
    rights_arrive(t);
    mem_read(t->tid, t->args[1], &m, sizeof m);
    if (m.msg_name && m.msg_namelen && (inside_family(fd) == AF_UNIX || inside_datagrams(fd)) && inside_exact_end(fd, false, &a))
        mem_write(t->tid, (uint64_t)m.msg_name, &a.a, a.n < t->deref ? a.n : t->deref);
    m.msg_namelen = a.n > sizeof(sa_family_t) ? a.n : 0;
    mem_write(t->tid, t->args[1] + offsetof(struct msghdr, msg_namelen), &m.msg_namelen, sizeof m.msg_namelen);
    close(fd);
}

/* Of a datagram whose it is, of other data nothing. */
static void give_sender(struct task *t)
{
    struct address a = {0};
    int fd = borrow(t, (int)t->args[0]);
    if (inside_datagrams(fd))
        inside_end(fd, false, &a);
    put_address(t, t->args[4], t->args[5], &a);
    close(fd);
}

/* False: it is not of these, or is to be made again. */
bool replay_inside_exit(struct task *t, int64_t result)
{
    if (t->inside && is_interrupted(result))
        give_result(t, result);
    if (!t->inside || is_interrupted(result))
        return false;
    t->inside = false;
    if (t->nr == REX_NR_socket && result >= 0)
        made(t, (int)result);
    else if (call_of(t->nr)->hook == REX_HOOK_ACCEPT && result >= 0)
        accepted(t, (int)result);
    else if (t->nr == REX_NR_connect)
        result = connected(t, result);
    else if (t->nr == REX_NR_setsockopt)
        result = option_set(t, result);
    else if (t->nr == REX_NR_recvmsg && result >= 0)
        received(t);
    else if (t->nr == REX_NR_recvfrom && t->args[5])
        give_sender(t);
    else if (result == -EPIPE && pipe_gives(t->nr))
        result = replay_inside_broken(t);
    give_result(t, result);
    replay_line_returned(t);
    return true;
}

/* Replay: which sockets of the log are connected inside the experiment, between processes with threads.
 *
 * A replay connects these for real: what threads send each other depends on their timing, so that
 * the log's data would not answer the present requests.  A listening socket is among them if all connections that it
 * accepted came from such processes, or from processes that have no threads and only wait for messages. */
#include "base/base.h"
#include "log/log.h"
#include "mode/mode.h"
#include "record/record.h"
#include "replay/index/index.h"
#include "replay/peers/peers.h"
#include "replay/regime/regime.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <netinet/in.h>
#include <sched.h>

enum { MOST = 1 << 24, MANY = UINT32_MAX };

static struct socket *sockets;
static uint32_t socket_count = 1, *socket_of, stream_count;   /* by stream: its place among the sockets, 0 = the log has none of it */
static bool *threaded;                   /* by process: its leader's index */
static bool *calls;                      /* or it has none, and calls such, and waits for what they say */
static bool has_any;

static struct socket *socket_at(uint32_t stream)
{
    return stream < stream_count && socket_of[stream] ? &sockets[socket_of[stream]] : NULL;
}

struct socket *socket_numbered(uint32_t i)
{
    return i < socket_count ? &sockets[i] : NULL;
}

bool peers_inside(uint32_t stream)
{
    const struct socket *s = socket_at(stream);
    return s && s->is_inside;
}

bool peers_says(long nr)
{
    return pipe_gives(nr) || nr == REX_NR_sendmmsg;
}

/* Requests of names, which are numbered: the numbers are drawn. */
bool peers_numbered(const struct address *to)
{
    enum { NAMES = 53 };
    return address_port(to) == NAMES;
}

bool peers_played(uint32_t stream)
{
    const struct socket *s = socket_at(stream);
    return s && s->is_played;
}

bool peers_looped(uint32_t stream)
{
    const struct socket *s = socket_at(stream);
    return s && s->is_looped;
}

bool peers_datagrams(uint32_t stream)
{
    const struct socket *s = socket_at(stream);
    return s && s->is_datagrams;
}

/* ------------------------------------------------------------------ the log */

struct address socket_bound_at(const struct socket *s)
{
    struct address a = address_of(s->bind ? record_field(s->bind->record, 1, FIELD_IN) : NULL);
    if (a.n && (a.a.ss_family == AF_INET || a.a.ss_family == AF_INET6))
        address_set_port(&a, (unsigned)s->bind->record->args[4]);
    return a;
}

const struct field *peers_place(const struct record *r)
{
    uint8_t arg = r->call == REX_NR_connect ? 1 : r->call == REX_NR_sendto ? 4 : 1 | PART_NAME;
    return record_field(r, arg, FIELD_IN);
}

struct address socket_remote_of(const struct socket *s)
{
    return address_of(s->connect ? peers_place(s->connect->record) : NULL);
}

/* Also of a thread that the log does not have: a pool may need one more than when recorded. */
bool peers_share(const struct task_log *s)
{
    const struct task_log *leader = has_any && s->tgid ? task_log_named(s->tgid) : NULL;
    return leader && threaded[leader->index];
}

bool peers_any_inside(void)
{
    return has_any;
}

/* A process without threads calls such, and waits for what they say. */
bool peers_call_inside(const struct task_log *s)
{
    return has_any && calls[task_log_leader(s->index)->index];
}

static bool shares(uint32_t task)
{
    return threaded[task_log_leader(task)->index];
}

/* Datagrams are emulated where all go to one place, and none fails. */
static bool is_odd_datagram(const struct socket *s, const struct record *r)
{
    const struct field *to = peers_place(r), *before = s->connect ? peers_place(s->connect->record) : NULL;
    bool elsewhere = to && before && !(to->length == before->length && !memcmp(to->data, before->data, to->length));
    bool moves = pipe_takes(r->call) || peers_says(r->call);
    return r->call == REX_NR_recvmmsg || r->call == REX_NR_bind || (r->call == REX_NR_connect && (s->connect || r->result))
        || elsewhere || (to && to->length < sizeof(struct sockaddr_in)) || (peers_says(r->call) && !to && !before)
        || (moves && r->result < 0 && r->result != -EAGAIN && !is_interrupted(r->result));
}

static bool is_odd(const struct socket *s, const struct record *r)
{
    if (s->is_datagrams && task_log_of(r->task)->tgid == task_log_of(s->first)->tgid)
        return is_odd_datagram(s, r);
    return task_log_of(r->task)->tgid != task_log_of(s->first)->tgid || call_of(r->call)->hook == REX_HOOK_COPY
        || r->call == REX_NR_sendmmsg || r->call == REX_NR_recvmmsg || record_field(r, 1 | PART_CONTROL, FIELD_STAT);
}

static uint64_t kind_of(const uint64_t *args)
{
    return args[0] << 32 | (uint32_t)args[1];
}

static void note_user(struct socket *s, const struct event *e)
{
    const struct record *r = e->record;
    bool is_same = !s->user || s->user == r->task + 1;
    s->user = is_same && !reported_by_edges(r) ? r->task + 1 : MANY;
    s->last = e->number;
}

static void note(struct event *e)
{
    const struct record *r = e->record;
    const struct rex_call *c = call_of(r->call);
    struct socket *s = c ? socket_at(r->stream) : NULL;
    poll_index_note(e);
    if (!s)
        return;
    if (r->call == REX_NR_socket && r->result >= 0) {
        int family = (int)r->args[0];
        s->is_stream = (r->args[1] & 0xf) == SOCK_STREAM && (family == AF_INET || family == AF_INET6 || family == AF_UNIX);
        s->is_datagrams = (r->args[1] & 0xf) == SOCK_DGRAM && (family == AF_INET || family == AF_INET6);
        s->kind = kind_of(r->args);
        s->first = r->task;
    } else if (c->hook == REX_HOOK_ACCEPT && r->result >= 0) {
        s->listener = (uint32_t)r->args[5];
        s->first = r->task;
    } else if (r->call == REX_NR_bind && r->result >= 0)
        s->bind = e;
    else if (r->call == REX_NR_listen && r->result >= 0)
        s->listen = e;
    note_user(s, e);
    s->is_odd |= is_odd(s, r);
    s->is_tried |= r->result == -EAGAIN || r->result == -EINPROGRESS || tries_socket(r->call, r->args);     /* and what was there then may come too early */
    s->is_hidden |= begins_hidden(r);
    s->is_looked_at |= s->is_stream && pipe_takes(r->call) && r->result == -EAGAIN;
    if (peers_says(r->call) || pipe_takes(r->call) || r->call == REX_NR_connect)
        s->speaker = !s->speaker || s->speaker == r->task + 1 ? r->task + 1 : MANY;
    if (r->call == REX_NR_connect || (s->is_datagrams && !s->connect && peers_says(r->call)))
        s->connect = e;
    s->is_spoken_on |= s->connect || r->call == REX_NR_bind || r->call == REX_NR_ioctl || pipe_takes(r->call);
}

static bool listens_at(const struct socket *s, const struct address *to)
{
    struct address at = socket_bound_at(s);
    return s->listen && shares(s->listen->record->task) && at.n && address_same(&at, to);
}

/* A client that only sends requests, and waits for each answer, does not depend on timing; one that also waits for its requests (socat) does. */
static void find_callers(void)
{
    bool *is_tried = zalloc(task_log_total() + 1);
    for (uint32_t i = 1; i < socket_count; i++) {
        struct address to = socket_remote_of(&sockets[i]);
        uint32_t process = to.n && sockets[i].is_stream ? task_log_leader(sockets[i].connect->record->task)->index : task_log_total();
        for (uint32_t k = 1; process < task_log_total() && !threaded[process] && k < socket_count; k++)
            if (listens_at(&sockets[k], &to)) {
                calls[process] = true;
                is_tried[process] |= sockets[i].is_tried || reported_with_others(sockets[i].connect, sockets[i].last);
            }
    }
    for (uint32_t i = 0; i < task_log_total(); i++)
        calls[i] &= !is_tried[i];
    free(is_tried);
}

static bool may_call(uint32_t task)
{
    return shares(task) || calls[task_log_leader(task)->index];
}

/* Whether the connection that was let in is the caller's. */
static bool is_caller(const struct event *accept, const struct socket *listener, const struct socket *s)
{
    const struct record *r = s->connect->record;
    struct address at = socket_bound_at(listener), to = socket_remote_of(s);
    uint64_t known = address_port(&to) ? r->args[4] : task_log_of(r->task)->tgid;
    return s->is_stream && known == accept->record->args[4] && address_same(&at, &to);
}

static void pair(const struct event *accept)
{
    const struct record *r = accept->record;
    struct socket *listener = socket_at((uint32_t)r->args[5]);
    bool found = false;
    if (!listener)
        return;
    for (uint32_t i = 1; i < socket_count && !found; i++)
        found = sockets[i].connect && is_caller(accept, listener, &sockets[i]) && may_call(sockets[i].connect->record->task);
    listener->is_outside |= !found || !shares(r->task);
}

/* All that listens at one place is inside, or none of it. */
static bool is_place_inside(const struct socket *s)
{
    struct address at = socket_bound_at(s);
    if (!s->listen || !s->is_stream || !at.n || s->is_outside)
        return false;
    for (uint32_t i = 1; i < socket_count; i++) {
        struct address other = socket_bound_at(&sockets[i]);
        if (sockets[i].listen && sockets[i].is_outside && (address_same(&other, &at) || address_same(&at, &other)))
            return false;
    }
    return true;
}

/* A connection of a threaded process to where none listens whose connections are made again: also to a server of the experiment
 * that others call who are not threaded, for which answer belongs to which of its threads' questions is no less up to locks. */
static bool is_to_outside(const struct socket *s)
{
    return (s->is_stream || s->is_datagrams) && s->connect && !s->is_inside && !s->listen && !s->listener && !s->is_odd && shares(s->first);
}

/* What a socket of datagrams is must show as it is made: all of a kind in a process are emulated, or none. */
static void keep_kinds(void)
{
    for (uint32_t i = 1; i < socket_count; i++)
        for (uint32_t k = 1; k < socket_count && sockets[i].is_datagrams && !sockets[i].is_played && sockets[i].is_spoken_on; k++)
            sockets[k].is_played &= sockets[k].kind != sockets[i].kind || task_log_of(sockets[k].first)->tgid != task_log_of(sockets[i].first)->tgid;
}

/* Whether one thread alone has all of its process that is hidden, or looks there while the others only wait: its log says what comes when. */
static bool is_of_one(const struct socket *s)
{
    for (uint32_t i = 1; i < socket_count; i++)
        if (sockets[i].is_hidden && task_log_of(sockets[i].first)->tgid == task_log_of(s->first)->tgid && sockets[i].speaker != s->speaker)
            return false;
    return s->speaker != MANY && (s->is_hidden || (s->is_looked_at && replay_is_sole(task_log_of(s->speaker - 1))));
}

bool peers_make_datagrams(const struct task *t)
{
    for (uint32_t i = 1; i < socket_count; i++)
        if (sockets[i].is_played && sockets[i].is_datagrams && sockets[i].kind == kind_of(t->args) && task_log_of(sockets[i].first)->tgid == t->task_log->tgid)
            return true;
    return false;
}

/* Whether it listens, or was let in, or calls there. */
static bool is_at(const struct socket *s, const struct socket *listener)
{
    struct address at = socket_bound_at(listener), to = socket_remote_of(s);
    return s == listener || (s->listener && socket_at(s->listener) == listener) || (to.n && address_same(&at, &to));
}

/* Whether the first thread of its process alone serves and calls these sockets (asyncio's loop, Node's), and nothing else wakes it
 * meanwhile: the order then follows from what that thread did before, and from how the kernel delivers, which the log has. */
static bool is_of_loop(const struct socket *listener)
{
    const struct task_log *loop = listener->user != MANY ? task_log_of(listener->user - 1) : NULL;
    uint32_t from = UINT32_MAX, until = 0;
    for (uint32_t i = 1; i < socket_count; i++) {
        const struct socket *s = &sockets[i];
        if (!is_at(s, listener))
            continue;
        if (s->user != listener->user)
            return false;
        from = s->connect && s->connect->number < from ? s->connect->number : from;
        until = s->last > until ? s->last : until;
    }
    return loop && loop->tid == loop->tgid && !reported_internal(loop->index, from, until);
}

static void find_loops(void)
{
    for (uint32_t i = 1; i < socket_count; i++) {
        bool is_loop = is_place_inside(&sockets[i]) && shares(sockets[i].first) && is_of_loop(&sockets[i]);
        for (uint32_t k = 1; is_loop && k < socket_count; k++)
            sockets[k].is_looped |= is_at(&sockets[k], &sockets[i]);
    }
}

static void decide(void)
{
    find_loops();
    for (uint32_t i = 1; i < socket_count; i++)
        sockets[i].is_inside = is_place_inside(&sockets[i]) && shares(sockets[i].first) && !sockets[i].is_looped;
    for (uint32_t i = 1; i < socket_count; i++) {
        struct address to = socket_remote_of(&sockets[i]);
        has_any |= sockets[i].is_inside;
        if (sockets[i].is_stream && sockets[i].connect)
            sockets[i].is_inside = peers_listen_at(&to);
        else if (sockets[i].listener)
            sockets[i].is_inside = peers_inside(sockets[i].listener);
    }
    for (uint32_t i = 1; i < socket_count; i++)
        sockets[i].is_played = is_to_outside(&sockets[i]) && !sockets[i].is_looped && !is_of_one(&sockets[i]);
    keep_kinds();
}

bool peers_listen_at(const struct address *to)
{
    for (uint32_t i = 1; i < socket_count; i++) {
        struct address at = socket_bound_at(&sockets[i]);
        if (sockets[i].listen && sockets[i].is_inside && address_same(&at, to))
            return true;
    }
    return false;
}

/* In the order of their streams, of which a log may leave many out: what follows looks at each pair of sockets. */
static void number_sockets(void)
{
    for (size_t i = 0; i < event_count; i++)
        if (events[i].record->stream >= stream_count && events[i].record->stream < MOST)
            stream_count = events[i].record->stream + 1;
    socket_of = zalloc((stream_count + 1) * sizeof *socket_of);
    for (size_t i = 0; i < event_count; i++)
        if (events[i].record->stream && events[i].record->stream < MOST)
            socket_of[events[i].record->stream] = 1;
    for (uint32_t i = 0; i < stream_count; i++)
        socket_of[i] = socket_of[i] ? socket_count++ : 0;
}

void peers_start(void)
{
    if (log_is_plain || is_serialized())
        return;
    threaded = zalloc(task_log_total() + 1), calls = zalloc(task_log_total() + 1);
    for (uint32_t i = 0; i < task_log_total(); i++)
        threaded[task_log_leader(i)->index] |= task_log_of(i)->birth && task_log_of(i)->birth->args[2] & CLONE_THREAD;
    number_sockets();
    sockets = zalloc(socket_count * sizeof *sockets);
    for (size_t i = 0; i < event_count; i++)
        note(&events[i]);
    find_callers();
    for (size_t i = 0; i < event_count; i++)
        if (call_of(events[i].record->call) && call_of(events[i].record->call)->hook == REX_HOOK_ACCEPT && events[i].record->result >= 0)
            pair(&events[i]);
    decide();
}

void peers_put_aside(void)
{
    for (size_t i = 0; i < event_count; i++)
        if (peers_inside(events[i].record->stream) || peers_played(events[i].record->stream))
            replay_put_aside(&events[i]);
}

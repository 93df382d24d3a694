/* Replay: events that other processes can see keep the order of the log between processes.
 * Threads of one process are not ordered: they hold locks that the tracer does not see. */
#include "base/base.h"
#include "log/log.h"
#include "mode/mode.h"
#include "replay/index/index.h"
#include "replay/order/internal.h"
#include "replay/order/order.h"
#include "replay/peers/peers.h"
#include "replay/pipes/pipes.h"
#include "replay/progress/progress.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/socket.h>

static struct event **ordered;           /* the events whose place counts, or did */
static size_t ordered_count, ordered_head;      /* none of them lies undone before the head */

static bool is_writing_open(const struct record *r)
{
    const struct rex_call *c = call_of(r->call);
    mode_t kind = replay_kind_of(r);
    if (!c || c->hook != REX_HOOK_OPEN || r->result < 0 || r->stream || (kind && kind != S_IFREG && kind != S_IFDIR))
        return false;                     /* nothing that is written to /dev/null changes it */
    int flags = flags_in(r);
    return flags & (O_CREAT | O_TRUNC) || (flags & O_ACCMODE) != O_RDONLY;
}

/* Paths that the experiment writes: the process that does, or `many`. */
static struct table changed, divided;    /* the second: by processes with threads, or renamed from what these write */
static struct table made;                /* directories that it makes */
static struct task_log many;

static void note_changed(const struct record *r)
{
    const struct rex_call *c = call_of(r->call);
    if (!c || r->result < 0 || !(c->hook == REX_HOOK_TREE || is_writing_open(r)))
        return;
    bool is_divided = task_log_leader(r->task)->has_threads && !is_serialized();
    for (const struct field *f = field_next(r, NULL); f; f = field_next(r, f))
        if (f->type == FIELD_RESOLVED) {
            char *path = strndup((const char *)f->data, f->length);
            if (replay_is_deleted(path)) {    /* of another's descriptor: others do not find it */
                free(path);
                continue;
            }
            struct task_log **who = (struct task_log **)table_at(&changed, path);
            if (op_of(r->call) == REX_OP_MKDIR)
                *table_at(&made, path) = &many;
            *who = !*who || *who == task_log_leader(r->task) ? task_log_leader(r->task) : &many;
            if ((is_divided |= table_get(&divided, path) != NULL))
                *table_at(&divided, path) = &many;
            free(path);
        }
}

bool replay_is_changed(const char *path)
{
    return path && table_get(&changed, path);
}

bool replay_is_made(const char *dir)
{
    return table_get(&made, dir);
}

bool replay_is_divided(const char *path)
{
    return path && table_get(&divided, path);
}

bool replay_divides(void)
{
    return divided.used > 0;
}

bool replay_changes_alone(const struct task *t, const char *path)
{
    const struct task_log *who = table_get(&changed, path);
    return who && who != &many && replay_is_sibling(t, who);
}

static bool is_ordered(const struct record *r)
{
    const struct rex_call *c = call_of(r->call);
    if (r->call == EVENT_EXIT)            /* of a thread only its own process can see it */
        return !(task_log_of(r->task)->birth && task_log_of(r->task)->birth->args[2] & CLONE_THREAD);
    if (!c || r->result < 0)
        return false;
    if (c->hook == REX_HOOK_TREE || c->hook == REX_HOOK_EXIT || (r->call == REX_NR_close && !r->stream))
        return true;
    if (op_of(r->call) == REX_OP_WRITE)
        return r->stream == 2 || r->stream == 3;
    if (c->hook != REX_HOOK_OPEN || r->stream)
        return false;
    char *path = record_text(r, FIELD_WHOLE, FIELD_RESOLVED);
    bool result = replay_is_changed(path);
    free(path);
    return result;
}

/* own: of a thread that the log may not have. */
static bool same_process(uint32_t task, const struct task_log *own)
{
    const struct task_log *s = task_log_of(task);
    return s == own || (s->tgid && s->tgid == own->tgid);
}

/* The events of its end; the order of ends in a memory group is free. */
static bool is_ending(const struct record *r)
{
    return r->call == EVENT_EXIT || r->call == REX_NR_close || call_of(r->call)->hook == REX_HOOK_EXIT;
}

static bool is_before(struct task *t, const struct event *e, const struct event *other)
{
    struct task_log *s = task_log_of(other->record->task);
    return !other->unseen && !same_process(s->index, t->task_log) && replay_are_seen(e, other)
        && !(replay_is_sibling(t, s) && (is_ending(e->record) || is_ending(other->record)));
}

bool replay_is_turn(struct task *t, const struct event *e)
{
    if (!e->ordered || e->unseen || is_serialized())
        return true;
    while (ordered_head < ordered_count && (ordered[ordered_head]->done || !ordered[ordered_head]->ordered))
        ordered_head++;
    for (size_t i = ordered_head; i < ordered_count && ordered[i]->number < e->number; i++)
        if (ordered[i]->ordered && !ordered[i]->done && is_before(t, e, ordered[i]))
            return false;
    return true;
}

/* The number of the first event left whose place counts among those of the task's process, of another one. */
uint32_t replay_others_next(const struct task *t)
{
    size_t *at = &task_log_leader(t->task_log->index)->others_at;
    while (*at < event_count && (!events[*at].ordered || events[*at].done || events[*at].unseen || same_process(events[*at].record->task, t->task_log)))
        ++*at;
    return (uint32_t)*at;
}

/* The first left of such calls of a task whose place counts. */
static struct event *first_ordered(const struct task *t, const struct task_log *s)
{
    for (size_t i = s->cursor; i < s->count; i++)
        if (s->event[i]->record->call == t->nr && s->event[i]->ordered && !s->event[i]->done && !s->event[i]->taker)
            return s->event[i];
    return NULL;
}

/* Whether a change of the tree that the log does not have may be one that a sibling thread made, under another name. */
bool replay_is_of_siblings(const struct task *t)
{
    bool is = false;
    for (uint32_t i = 0; i < task_log_total() && !is && call_of(t->nr)->hook == REX_HOOK_TREE; i++)
        is = replay_is_sibling(t, task_log_of(i)) && first_ordered(t, task_log_of(i));
    return is;
}

/* The task makes a directory of another name than when recorded: for the log's, which it does not make, nobody waits. */
void replay_order_instead(struct task *t)
{
    struct event *e = first_ordered(t, t->task_log), *other;
    for (uint32_t i = 0; i < task_log_total() && !(e && e->record->task == t->task_log->index); i++)
        if (replay_is_sibling(t, task_log_of(i)) && (other = first_ordered(t, task_log_of(i))) && (!e || other->number < e->number))
            e = other;
    if (e)
        e->ordered = false;
}

/* ------------------------------------------------------------------ between processes, over sockets */

/* Sockets are stood in for, so that what arrives is there at once.  Threads of the process that
 * it reaches may rely on what they did before it was sent: it arrives no earlier than all that other
 * processes had sent before it. */
static struct event **sends;
static bool *given_up;                     /* by place among the sends */
static enum { NO_SOCKET, SOCKET, ACCEPTED } *sockets;      /* by stream */
static size_t send_count, send_head;
static uint32_t stream_count;

bool replay_on_connection(uint32_t stream)
{
    return stream && stream < stream_count && sockets[stream];
}

static void note_socket(const struct record *r)
{
    const struct rex_call *c = call_of(r->call);
    if (!c || (c->hook != REX_HOOK_SOCKET && c->hook != REX_HOOK_ACCEPT) || r->result < 0 || r->stream > 1 << 24)
        return;
    if (c->hook == REX_HOOK_SOCKET && r->args[0] == AF_NETLINK)
        return;                           /* the kernel answers by itself */
    for (; stream_count <= r->stream; stream_count++) {
        sockets = grow(sockets, stream_count, sizeof *sockets);
        sockets[stream_count] = NO_SOCKET;
    }
    sockets[r->stream] = c->hook == REX_HOOK_ACCEPT ? ACCEPTED : SOCKET;
}

/* A name server's answer does not depend on the queries of others. */
static bool asks_for_names(const struct record *r)
{
    const struct field *to = peers_datagrams(r->stream) ? peers_place(r) : NULL;
    struct address a = {.n = 0};
    if (!to)
        return false;
    memcpy(&a.a, to->data, to->length < sizeof a.a ? to->length : sizeof a.a);
    return peers_numbered(&a);
}

static void note_send(struct event *e)
{
    const struct record *r = e->record;
    bool connects = r->call == REX_NR_connect && (r->result >= 0 || r->result == -EINPROGRESS);
    if (!replay_on_connection(r->stream) || !(connects || (pipe_gives(r->call) && r->result > 0)))
        return;
    if (asks_for_names(r)) {
        sockets[r->stream] = NO_SOCKET;
        return;
    }
    sends = grow(sends, send_count, sizeof *sends);
    given_up = grow(given_up, send_count, sizeof *given_up);
    given_up[send_count] = false;
    sends[send_count++] = e;
}

static bool is_sent(const struct event *e)
{
    return e->done && !e->unsaid;
}

static bool is_accepted(uint32_t stream)
{
    return stream < stream_count && sockets[stream] == ACCEPTED;
}

/* Whether what arrives may depend on what is sent: external callers may act together, and one may send something once another has
 * been answered.  What a loop sends to itself arrives once it is sent. */
static bool is_related(struct task *t, const struct event *send, uint32_t stream)
{
    uint32_t other = send->record->stream;
    return other == stream || !same_process(send->record->task, t->task_log) || (is_accepted(other) && is_accepted(stream))
        || (peers_looped(other) && peers_looped(stream));
}

/* Whether all has been sent that the log has before, by other processes, or there: an answer follows its question. */
bool replay_has_asked(struct task *t, uint32_t stream, const struct event *e)
{
    if (!has_shared_work(t))
        return true;
    for (size_t i = send_head; i < send_count && sends[i]->number < e->number; i++)
        if (!is_sent(sends[i]) && !given_up[i] && is_related(t, sends[i], stream))
            return false;
    return true;
}

/* The place of a send that must come first; send_count if there is none. */
static size_t awaited(struct task *t, const struct event *e)
{
    const struct record *r = e->record;
    bool arrives = r->result >= 0 && replay_on_connection(r->stream) && (pipe_takes(r->call) || call_of(r->call)->hook == REX_HOOK_ACCEPT);
    if (!send_count || !arrives || !has_shared_work(t))
        return send_count;
    while (send_head < send_count && (is_sent(sends[send_head]) || given_up[send_head]))
        send_head++;
    for (size_t i = send_head; i < send_count && sends[i]->number < e->number; i++)
        if (!is_sent(sends[i]) && !given_up[i] && is_related(t, sends[i], r->stream))
            return i;
    return send_count;
}

bool replay_has_arrived(struct task *t, const struct event *e)
{
    return awaited(t, e) == send_count;
}

/* What it waits for does not come, as nothing else can move: nobody waits for that any more. */
void replay_order_give_up(struct task *t, const struct event *e)
{
    for (size_t i = ordered_head; e->ordered && i < ordered_count && ordered[i]->number < e->number; i++)
        if (!ordered[i]->done && is_before(t, e, ordered[i]))
            ordered[i]->ordered = false;
    for (size_t i; (i = awaited(t, e)) < send_count; )
        given_up[i] = true;
    replay_arrival_give_up(t, e);
}

void replay_order_start(void)
{
    for (size_t i = 0; i < event_count; i++)
        note_socket(events[i].record);
    for (size_t i = 0; i < event_count; i++)
        note_send(&events[i]);
    for (size_t i = 0; i < event_count; i++)
        note_changed(events[i].record);
    for (size_t i = 0; i < event_count; i++)
        if (is_ordered(events[i].record) || replay_is_rest(&events[i])) {
            events[i].ordered = true;
            ordered = grow(ordered, ordered_count, sizeof *ordered);
            ordered[ordered_count++] = &events[i];
        }
    replay_unseen_start(ordered, ordered_count);
    replay_written_start();
}

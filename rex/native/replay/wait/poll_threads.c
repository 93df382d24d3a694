/* Replay of poll, select and epoll among threads and in memory groups.  Internal descriptors are polled for real.
 * External ones become ready in log order, never before the request that they answer. */
#include "base/base.h"
#include "log/log.h"
#include "replay/clock/clock.h"
#include "replay/files/files.h"
#include "replay/index/index.h"
#include "replay/match/match.h"
#include "replay/order/order.h"
#include "replay/progress/delays.h"
#include "replay/progress/progress.h"
#include "replay/regime/regime.h"
#include "replay/send/send.h"
#include "replay/wait/internal.h"
#include "replay/wait/wait.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

/* What a call waits for; all, where that is not known. */
struct wanted { bool all; size_t count; struct pollfd fds[FEW]; fd_set sets[4]; };

static const struct wanted *wanted_by(struct task *t)
{
    static struct wanted w;
    unsigned hook = call_of(t->nr)->hook;
    size_t bytes = ((size_t)t->args[0] + 63) / 64 * 8;
    w.count = hook == REX_HOOK_POLL && t->args[1] <= FEW ? t->args[1] : 0;
    w.all = hook == REX_HOOK_EPOLL_WAIT || (hook == REX_HOOK_POLL && t->args[1] > FEW)
        || !mem_read(t->tid, t->args[0], w.fds, w.count * sizeof *w.fds);
    memset(w.sets, 0, sizeof w.sets);
    for (int k = 1; k <= 3 && hook == REX_HOOK_SELECT && bytes <= sizeof *w.sets; k++)
        if (t->args[k])
            mem_read(t->tid, t->args[k], &w.sets[k], bytes);
    return &w;
}

static bool polls_for(const struct wanted *w, int fd)
{
    size_t i = 0;
    while (i < w->count && w->fds[i].fd != fd)
        i++;
    return i < w->count;
}

/* Of what the log has as ready, that which is outside: how many, whether all has come by now, and whether any is waited
 * for: a thread that looks once more than when recorded may wait for less. */
struct outside { int count; bool has_come, is_wanted; };

static void add_outside(struct task *t, const struct event *e, int fd, bool gives_only, bool may_give, bool is_wanted, struct outside *o)
{
    o->count++;
    if (fd < 0)
        return;                           /* it is not open now: the wait is another thread's */
    o->is_wanted |= is_wanted;
    o->has_come = o->has_come && (gives_only ? may_give : replay_has_asked(t, files_stream(t->files, fd), e) && !replay_runtime_left(t, e));
}

/* w: NULL of a call that waits already, and has been changed since (replay_wait_inside). */
static struct outside outside_of(struct task *t, const struct event *e, const struct wanted *w)
{
    struct outside o = {0, true, w && w->all};
    int at;
    unsigned hook = call_of(t->nr)->hook;
    for (uint8_t k = 0; k <= 3; k++) {
        const struct field *f = record_field(e->record, k, FIELD_OUT);
        const struct pollfd *was = f ? (const void *)f->data : NULL;
        struct epoll_event reported;
        if (!f)
            continue;
        for (size_t i = 0; hook == REX_HOOK_POLL && k == 0 && i < f->length / sizeof *was; i++)
            if (was[i].revents && was[i].fd >= 0 && ((at = replay_number_now(t, e, was[i].fd)) < 0 || files_stream(t->files, at)))
                add_outside(t, e, at, was[i].revents == POLLOUT, true, w && polls_for(w, at), &o);
        for (size_t fd = 0; hook == REX_HOOK_SELECT && k > 0 && fd < f->length * 8; fd++)
            if (f->data[fd / 8] & 1 << fd % 8 && (at = replay_number_now(t, e, (int)fd)) >= 0 && files_stream(t->files, at))
                add_outside(t, e, at, k == 2, true, w && at < FD_SETSIZE && FD_ISSET(at, &w->sets[k]), &o);
        for (size_t i = 0; hook == REX_HOOK_EPOLL_WAIT && k == 1 && i + sizeof reported <= f->length; i += sizeof reported) {
            memcpy(&reported, f->data + i, sizeof reported);
            const struct epoll_watch *watch = epoll_watch_for(t, e, reported.data.u64);
            if (!watch && epoll_is_not_yet_watched(t, e, reported.data.u64)) {
                o.count++;
                o.has_come = false;
            } else if (watch)
                add_outside(t, e, watch->fd, reported.events == EPOLLOUT, watch->events & EPOLLOUT, false, &o);
        }
    }
    return o;
}

/* Of a process that has had threads: whether the log's wait is this one, and not a later one where a
 * thread looked once more than when recorded. */
static bool is_same_wait(struct task *t, const struct event *e)
{
    const struct record *r = e->record;
    static struct pollfd fds[FEW];
    const struct field *f = record_field(r, 0, FIELD_OUT);
    size_t count = (size_t)t->args[1];
    if (call_of(t->nr)->hook == REX_HOOK_EPOLL_WAIT)
        return !epoll_is_another(t, e);
    if (call_of(t->nr)->hook != REX_HOOK_POLL)
        return true;
    if (count != r->args[1] || (t->nr == REX_NR_poll && !(int)t->args[2] != !(int)r->args[2]))
        return false;
    const struct pollfd *was = f ? (const void *)f->data : NULL;
    if (!f || count > FEW || f->length < count * sizeof *fds || !mem_read(t->tid, t->args[0], fds, count * sizeof *fds))
        return true;
    for (size_t i = 0; i < count; i++)
        if (fds[i].fd != replay_number_now(t, e, was[i].fd))
            return false;
    return true;
}

/* The log's next such wait that ended with something outside.  Those before it, for what is inside, may
 * have had their share in fewer waits than when recorded. */
static struct event *first_outside(struct task *t)
{
    enum { FAR = 200 };
    struct event *e = replay_queue(t->task_log, t->nr, call_key(call_of(t->nr), t->nr, NULL, 0, t->args));
    for (int i = 0; e && i < FAR; e = e->next[0], i++)
        if (!e->done && e->record->result > 0 && outside_of(t, e, NULL).count)
            return e;
    return NULL;
}

static struct event *first_wanted(struct task *t, const struct task_log *s, const struct wanted *w)
{
    enum { FAR = 1000 };
    struct event *e = w->count ? replay_queue(s, t->nr, call_key(call_of(t->nr), t->nr, NULL, 0, t->args)) : NULL;
    for (int i = 0; e && i < FAR; e = e->next[0], i++)
        if (!e->done && e->record->result > 0 && outside_of(t, e, w).is_wanted)
            return e;
    return NULL;
}

/* The logged poll for what this one polls, maybe a sibling's: where threads serve callers as they come, another may serve this one now. */
static struct event *poll_wanted(struct task *t, const struct wanted *w)
{
    struct event *best = first_wanted(t, t->task_log, w);
    for (uint32_t i = 0; i < task_log_total() && (!best || best->record->task != t->task_log->index); i++) {
        struct event *e = replay_is_sibling(t, task_log_of(i)) ? first_wanted(t, task_log_of(i), w) : NULL;
        best = e && (!best || e->number < best->number) ? e : best;
    }
    return best;
}

/* The log's waits before that, for what is inside, are not this one. */
static bool polls_outside_only(struct task *t, const struct wanted *w)
{
    size_t i = 0;
    while (i < w->count && files_stream(t->files, w->fds[i].fd))
        i++;
    return w->count && i == w->count;
}

/* A task was answered with this: its effects, and not its queries, show where it is. */
void replay_came_for(struct task *t, struct event *e)
{
    const struct rex_call *c = call_of(e->record->call);
    if (e->record->task != t->task_log->index)
        return;
    t->task_log->answered = e;
    t->task_log->reached = replay_clock_is_limit(e) ? t->task_log->reached : e;
    t->task_log->did = c && !c->query ? e : t->task_log->did;
}

/* Looks that found nothing, before something that the thread has done by now, are past: whether that is next then. */
static bool is_next_look(const struct task *t, const struct event *e, const struct event *outside)
{
    enum { FAR = 200 };
    const struct event *did = t->task_log->did;
    for (int i = 0; did && e && e != outside && (e->done || e->number < did->number) && i < FAR; i++)
        e = e->next[0];
    return e && e == outside;
}

/* The time until then was skipped. */
static void wait_is_over(struct task *t, struct event *e)
{
    if (e && !e->record->result && is_same_wait(t, e))
        replay_done(e);
    else if (e)
        e->taker = NULL;
    t->matched = NULL;
    replay_wait_end(t)->has_come = false;
    replay_runtime_waited(t);
    skip_call(t, 0);
}

/* A wait for readiness begins; e: its logged event, or NULL.  It may end earlier if it timed out; external events may come before. */
static void note_end(struct task *t, const struct event *e, uint64_t now)
{
    struct wait_end *end = replay_wait_end(t);
    uint64_t limit = replay_wait_limit(t, UINT64_MAX);
    if (!e || limit > INT64_MAX)
        return;
    end->deadline = now + limit;
    bool is_first = !t->outside || t->outside->number > e->number;
    end->is_logged = is_first && !e->record->result;
    end->at = is_first ? e->record->time : t->outside->record->time;
}

/* Between threads, internal descriptors are polled for real: their order is not the log's.  External ones become ready
 * in log order, never before the request that they answer.  e: NULL where the log has no more such waits. */
bool replay_wait_freely(struct task *t, struct event *e)
{
    if (!has_shared_work(t) || (e && replay_is_alone(t, e)))
        return false;
    if (replay_wait_end(t)->has_come) {
        wait_is_over(t, e);
        return true;
    }
    const struct wanted *w = wanted_by(t);
    struct outside o = e ? outside_of(t, e, w) : (struct outside){0, true, false};
    bool fails = e && e->record->result < 0 && !replay_ends_later(t, e);
    bool is_wanted = o.is_wanted || e == t->outside;      /* one that is made again (replay_cut_wait_short) has been changed since */
    if (fails || (e && o.count && is_wanted && (o.has_come || wait_state(t)->is_forced)))
        return false;
    struct event *next = o.count ? e : first_outside(t);
    bool is_past = !o.count && is_next_look(t, e, next);
    bool is_same = e && !o.count && e->record->result != -EINTR && is_same_wait(t, e);
    if (is_same)
        replay_done(e);                   /* one that a signal ends is of the wait that this ends here */
    wait_state(t)->is_next_outside = o.count;
    t->outside = next && (next == t->outside || outside_of(t, next, w).is_wanted) ? next : NULL;
    if (e)
        e->taker = NULL;
    t->matched = NULL;
    bool is_next = !t->outside ? (t->outside = poll_wanted(t, w)) != NULL : !o.count && (is_past || polls_outside_only(t, w));
    if (is_next) {
        wait_state(t)->is_next_outside = true;
        if (outside_of(t, t->outside, NULL).has_come) {
            replay_report_external(t, t->outside);
            return true;
        }
    }
    replay_wait_inside(t);
    replay_wait_for_signal(t, e);
    if (is_same)
        replay_wait_longer(t, e);
    t->fruitless = e && e->done && !e->record->result ? e : NULL;
    note_end(t, is_same ? e : NULL, replay_last_readings(t)->clock);
    wait_state(t)->wait_began = log_now();
    replay_runtime_waits(t, replay_wait_limit(t, UINT64_MAX));
    t->waits_inside = t->want_exit = true;
    return true;
}

/* Whether the external event may be reported though it has not come: epoll reports only descriptors that it watches. */
bool replay_may_cut_short(struct task *t)
{
    bool waits = t->waits_inside && !t->wait_ended && t->state == CALL_ENTERED && t->outside && !t->outside->done;
    return waits && (call_of(t->nr)->hook != REX_HOOK_EPOLL_WAIT || !epoll_is_another(t, t->outside));
}

/* The wait is made again, and has what is outside. */
void replay_cut_wait_short(struct task *t, struct event *e)
{
    struct event *before = replay_queue(t->task_log, t->nr, call_key(call_of(t->nr), t->nr, NULL, 0, t->args));
    for (; before && before != e && !wait_state(t)->is_next_outside; before = before->next[0])
        if (!outside_of(t, before, NULL).count)
            replay_done(before);
    replay_interrupt_wait(t);
}

void replay_force_external(struct task *t, struct event *e)
{
    wait_state(t)->is_forced = true;
    replay_cut_wait_short(t, e);
}

/* It is made again. */
void replay_interrupt_wait(struct task *t)
{
    t->wait_ended = true;
    ptrace(PTRACE_INTERRUPT, t->tid, 0, 0);
}

/* What its wait is to end with may have come; it comes first where nothing inside does for a while. */
void replay_poll_settle(struct task *t)
{
    if (t->state == CALL_ENTERED && t->outside && !t->outside->done
        && (wait_state(t)->is_next_outside || log_now() - wait_state(t)->wait_began > PASSED_BY_NS) && outside_of(t, t->outside, NULL).has_come)
        replay_cut_wait_short(t, t->outside);
}

static bool found_nothing(const struct event *e, const void *unused)
{
    (void)unused;
    return e->record->result == -EAGAIN;
}

/* One that does not wait looks at a stream once more than when recorded: there is nothing more. */
bool replay_finds_nothing(struct task *t, uint64_t key)
{
    bool takes = t->stream && (pipe_takes(t->nr) || call_of(t->nr)->hook == REX_HOOK_ACCEPT);
    if (!takes || !has_shared_work(t) || !replay_find(t, t->nr, key, found_nothing, NULL))
        return false;
    skip_call(t, -EAGAIN);
    return true;
}

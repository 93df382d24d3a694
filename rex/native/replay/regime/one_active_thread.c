/* Replay: a process with threads of which only one has anything left to do.
 *
 * Libraries keep threads that wait for work (OpenMP), or end them before a fork (OpenBLAS).  Then what the one
 * thread learns of its children is as certain as in a process without threads: which of their pipes are ready, and which
 * child has ended.  So it waits until that is as in the log.  Once nothing else moves, the process runs unordered. */
#include "base/base.h"
#include "log/log.h"
#include "replay/index/index.h"
#include "replay/match/match.h"
#include "replay/regime/internal.h"
#include "replay/regime/regime.h"
#include "replay/send/send.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <poll.h>
#include <sched.h>
#include <sys/select.h>
#include <sys/wait.h>

enum { MOST = 64 };

/* Descriptors that a call queries, with the log's readiness of each. */
struct asked {
    struct pollfd fd[MOST];
    size_t count;
};

/* A signal for the process may come to any of its threads: those that rest have nothing left but that, and what a handler does. */
static bool do_siblings_rest(const struct task *t)
{
    int working = 0;
    for (struct task *other = tasks; other; other = other->next) {
        const struct event *next = other->task_log ? replay_next(other) : NULL;
        if (!other->alive || other->leader != t->leader)
            continue;
        if (!other->task_log)
            return false;
        working += other == t ? !regime_state(t)->handler_sp : next && !replay_is_signal(next) && !regime_state(other)->handler_sp;
    }
    return working <= 1;
}

static bool goes_alone(const struct task *t)
{
    return regime_of(t) == THREADS && !t->leader->order_given_up && do_siblings_rest(t);
}

static bool asks_by_poll(struct task *t, const struct record *r, struct asked *a)
{
    const struct field *f = record_field(r, 0, FIELD_OUT);
    a->count = (size_t)t->args[1];
    if (!f || a->count > MOST || f->length < a->count * sizeof *a->fd || !mem_read(t->tid, t->args[0], a->fd, a->count * sizeof *a->fd))
        return false;
    const struct pollfd *was = (const void *)f->data;
    for (size_t i = 0; i < a->count; i++) {
        if (a->fd[i].fd != was[i].fd || a->fd[i].fd < 0)
            return false;
        a->fd[i].revents = was[i].revents;
    }
    return true;
}

static bool asks_by_select(struct task *t, const struct record *r, struct asked *a)
{
    static const short what[] = {0, POLLIN, POLLOUT};
    fd_set set, was;
    a->count = 0;
    for (int k = 1, nfds = (int)t->args[0]; k <= 3; k++) {
        const struct field *f = record_field(r, (uint8_t)k, FIELD_OUT);
        size_t n = (size_t)(nfds + 63) / 64 * 8;
        if (!t->args[k])
            continue;
        FD_ZERO(&was);
        if (k == 3 || nfds <= 0 || nfds > FD_SETSIZE || !f || f->length > sizeof was || !mem_read(t->tid, t->args[k], &set, n))
            return false;
        memcpy(&was, f->data, f->length);
        for (int fd = 0; fd < nfds; fd++) {
            if (!FD_ISSET(fd, &set) && !FD_ISSET(fd, &was))
                continue;
            if (a->count == MOST || !FD_ISSET(fd, &set))
                return false;
            a->fd[a->count++] = (struct pollfd){fd, what[k], FD_ISSET(fd, &was) ? what[k] : 0};
        }
    }
    return true;
}

/* Whether the process holds another end of the pipe itself. */
static bool talks_to_itself(struct task *t, int fd, ino_t pipe)
{
    bool does = false;
    int other;
    for (DIR *d = fds_of(t->tid); (other = next_fd(d)) >= 0; ) {
        struct stat st;
        does |= other != fd && stat_of_fd(t->tid, other, &st) && st.st_ino == pipe && S_ISFIFO(st.st_mode);
    }
    return does;
}

static bool are_of_others(struct task *t, const struct asked *a)
{
    for (size_t i = 0; i < a->count; i++) {
        struct stat st;
        if (files_stream(t->files, a->fd[i].fd) || !stat_of_fd(t->tid, a->fd[i].fd, &st) || !S_ISFIFO(st.st_mode)
            || talks_to_itself(t, a->fd[i].fd, st.st_ino))
            return false;
    }
    return a->count > 0;
}

static bool asks(struct task *t, const struct record *r, struct asked *a)
{
    int hook = call_of(t->nr)->hook;
    return r->result >= 0 && ((hook == REX_HOOK_POLL && asks_by_poll(t, r, a)) || (hook == REX_HOOK_SELECT && asks_by_select(t, r, a)))
        && are_of_others(t, a);
}

/* The logged readiness is there, and no less: a reader notices an end (POLLHUP) only if nothing is left to read. */
static bool is_as_logged(struct task *t, const struct pollfd *logged)
{
    struct pollfd now = {borrow(t, logged->fd), logged->events | POLLIN, 0};
    if (now.fd < 0)
        return true;
    poll(&now, 1, 0);
    close(now.fd);
    bool only_selects = logged->revents == POLLIN && now.revents & POLLHUP;      /* select calls an end readable */
    return only_selects || ((now.revents & logged->revents) == logged->revents && (logged->revents & POLLIN || !(now.revents & POLLIN)));
}

/* Its end by a signal of another process is certain, too. */
static bool is_ended(struct task *t, const struct event *e)
{
    return is_readiness_wait(call_of(t->nr)) && replay_ender(t, e);
}

static bool looks_for_child(struct task *t, const struct record *r)
{
    return call_of(t->nr)->hook == REX_HOOK_WAIT && replay_child_looks(t) && replay_waited(r) > 0;
}

/* Whether the call of a process with threads is answered as that of one without. */
bool replay_is_alone(struct task *t, const struct event *e)
{
    struct asked a;
    return e->record->call == t->nr && replay_next(t) == e && goes_alone(t)
        && (looks_for_child(t, e->record) || is_ended(t, e) || asks(t, e->record, &a));
}

/* The child, as recorded, whose end the wait of such a process reports; 0: none. */
int64_t replay_alone_child(struct task *t, const struct event *e)
{
    return e->record->call == t->nr && looks_for_child(t, e->record) && replay_is_alone(t, e) ? replay_waited(e->record) : 0;
}

/* Its time has not come: things are not yet as they were. */
bool replay_alone_waits(struct task *t, const struct event *e)
{
    struct asked a;
    if (!replay_is_alone(t, e))
        return false;
    if (is_ended(t, e))
        return replay_ends_later(t, e);
    if (asks(t, e->record, &a))
        for (size_t i = 0; i < a.count; i++)
            if (a.fd[i].revents && !is_as_logged(t, &a.fd[i]))
                return true;
    return false;
}

/* ------------------------------------------------------------------ signals before a wait */

/* The log has signals of others before the wait that the thread comes to now: one of several children that ended beside each other
 * may not have come as far here. */
bool replay_alone_awaits(struct task *t, const struct event *signal)
{
    const struct task_log *s = t->task_log, *sender = replay_sender_of(signal);
    struct asked a;
    size_t i = task_log_place(s, signal);
    while (i < s->count && (s->event[i]->done || replay_is_signal(s->event[i])))
        i++;
    bool is_due = sender && !replay_is_sibling(t, sender) && !replay_is_sent(t, signal);
    return is_due && i < s->count && s->event[i]->record->call == t->nr && goes_alone(t) && asks(t, s->event[i]->record, &a);
}

/* ------------------------------------------------------------------ what is over */

/* What it does next, if it has done all before that, and nothing after. */
static const struct event *next_side_effect(const struct task_log *s)
{
    const struct event *next = s->done_to < s->count ? s->event[s->done_to] : NULL;
    return next && !next->done && !(s->did && s->did->number > next->number) ? next : NULL;
}

/* A loop that runs more or less often than when recorded reads the clock as often, and computes its timeouts from that.  The log's
 * readings before the thread's last side effect are over; those after its next side effect, which is returned, are still to come.
 * *reached: the last of CLOCK_MONOTONIC that is over now, 0: none. */
const struct event *replay_alone_side_effect(struct task *t, uint64_t *reached)
{
    struct task_log *s = t->task_log;
    size_t did = s->past;
    uint64_t time = 0;
    *reached = 0;
    if (!goes_alone(t))
        return NULL;
    for (; s->done_to < s->count && (s->event[s->done_to]->done || s->event[s->done_to]->idle); s->done_to++)
        did = s->event[s->done_to]->idle ? did : s->done_to;
    for (; s->past < did; s->past++) {
        struct event *e = s->event[s->past];
        if (e->record->call != REX_NR_clock_gettime)
            continue;
        if (!e->done)
            replay_done(e);
        time = e->record->args[0] == CLOCK_MONOTONIC ? clock_of(e->record) : time;
    }
    *reached = time;
    return next_side_effect(s);
}

/* ------------------------------------------------------------------ signals that come to threads at rest */

static bool came_at_rest(const struct event *e)
{
    return (e->record->args[2] == IN_UNSEEN_CALL || e->record->args[2] == AT_UNSEEN_CALL) && replay_sender_of(e);
}

/* Whether a signal from inside came so to any thread. */
static bool has_any_rested(void)
{
    static enum { UNKNOWN, NONE, SOME } known;
    for (size_t i = 0; i < event_count && !known; i++)
        if (replay_is_signal(&events[i]) && came_at_rest(&events[i]) && task_log_of(events[i].record->task)->birth->args[2] & CLONE_THREAD)
            known = SOME;
    known = known ? known : NONE;
    return known == SOME;
}

/* It is in its handler until its stack is as it was. */
void replay_alone_handles(struct task *t, const struct event *e)
{
    if (has_shared_work(t) && came_at_rest(e) && is_caught(t->tid, (int)e->record->args[0]))
        regime_state(t)->handler_sp = regs_get(t).rsp;
}

/* The next event, but no signal that comes once the handler, which does more than when recorded, has returned. */
struct event *replay_alone_next(struct task *t)
{
    struct event *next = replay_next(t);
    bool is_later = next && t->regs.rsp < regime_state(t)->handler_sp && replay_is_signal(next) && came_at_rest(next);
    return is_later ? NULL : next;
}

/* Whether its handler has returned, and it rests again. */
static bool is_back(struct task *t)
{
    ull sp = 0;
    proc_value(t->tid, "syscall", "%*d %*x %*x %*x %*x %*x %*x %llx", &sp);
    return sp >= regime_state(t)->handler_sp && task_state(t) == 'S';
}

/* What a thread has next, or has come to.  What its handler has left over is not done any more, once it rests and another signal is
 * to come. */
static struct event *next_of(struct task *t)
{
    struct event *next = replay_next(t);
    const struct task_log *s = t->task_log;
    if (t->held && t->matched && t->matched->record->task == s->index)
        return t->matched;
    if (!next || replay_is_signal(next) || !regime_state(t)->handler_sp || !is_back(t))
        return next;
    for (size_t i = s->cursor; i < s->count; i++)
        if (!s->event[i]->done && replay_is_signal(s->event[i])) {
            while ((next = replay_next(t)) != s->event[i])
                replay_done(next);
            return next;
        }
    return NULL;
}

/* Whether the sibling thread's next event comes before this event. */
static bool comes_first(struct task *sibling, struct event *next, const struct task *t, const struct event *e)
{
    const struct event *answered = sibling->task_log->answered;
    if (!next || next->number > e->number)
        return false;
    if (!replay_is_signal(next))
        return (regime_state(t)->handler_sp || regime_state(sibling)->handler_sp || replay_is_signal(e)) && !(answered && answered->number > e->number);
    if (!came_at_rest(next))
        return regime_state(t)->handler_sp || replay_is_signal(e);
    if (!replay_sender_of(next)->is_taken && !regime_state(sibling)->handler_sp)
        return false;                     /* who sends it has yet to be made: the event is of a clock that is read once more */
    if (sibling->injected != next && replay_is_sent(sibling, next) && replay_sleeps_there(sibling, next))
        replay_send_now(sibling, next);
    return true;
}

static bool keeps_order(const struct task *t)
{
    return has_any_rested() && goes_alone(t);
}

/* Whether a non-blocking wait for a child comes before the event that reports the child's end: another thread's, or of the
 * handler's next signal.  Then it finds nothing yet. */
bool replay_alone_is_later(const struct task *t, const struct event *e)
{
    bool is_later = e->record->task != t->task_log->index;
    if (t->nr != REX_NR_wait4 || !(t->args[2] & WNOHANG) || !keeps_order(t))
        return false;
    for (size_t i = t->task_log->cursor; i < t->task_log->count && t->task_log->event[i] != e; i++)
        is_later |= regime_state(t)->handler_sp && !t->task_log->event[i]->done && replay_is_signal(t->task_log->event[i]);
    return is_later;
}

/* The process ended before the handler of a thread at rest had looked for a child's end: the one that works saw nothing of it. */
bool replay_alone_cut_off(struct task *t)
{
    return call_of(t->nr)->hook == REX_HOOK_WAIT && t->regs.rsp < regime_state(t)->handler_sp && replay_was_cut_off(t);
}

/* What the handler of a signal does that comes to a thread at rest the one that works may look at in memory: so both keep the
 * order of the log, until nothing else moves. */
bool replay_alone_precedes(struct task *t, const struct event *e)
{
    if (!replay_is_signal(e) && t->regs.rsp >= regime_state(t)->handler_sp)
        regime_state(t)->handler_sp = 0;
    if (!keeps_order(t))
        return false;
    for (struct task *sibling = tasks; sibling; sibling = sibling->next)
        if (sibling != t && sibling->alive && sibling->leader == t->leader && comes_first(sibling, next_of(sibling), t, e))
            return true;
    return false;
}

/* What no stop reports keeps that order as well: the event before which it ends. */
uint32_t replay_alone_until(const struct task *t)
{
    uint32_t until = UINT32_MAX;
    for (struct task *sibling = keeps_order(t) ? tasks : NULL; sibling; sibling = sibling->next) {
        const struct event *next = sibling != t && sibling->alive && sibling->leader == t->leader ? replay_next(sibling) : NULL;
        if (next && next->number < until && (regime_state(t)->handler_sp || regime_state(sibling)->handler_sp || replay_is_signal(next)))
            until = next->number;
    }
    return until;
}

/* Whether any waits for what no stop reports. */
bool replay_alone_listens(void)
{
    for (struct task *t = tasks; t; t = t->next)
        if (t->alive && t->held && t->matched && ((has_any_rested() && has_shared_work(t)) || is_readiness_wait(call_of(t->nr))))
            return true;
    return false;
}

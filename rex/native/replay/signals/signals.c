/* Replay: signals come where the log has them, and waits end that only a signal can end. */
#include "base/base.h"
#include "fastpath/fastpath.h"
#include "log/log.h"
#include "mode/mode.h"
#include "replay/index/index.h"
#include "replay/progress/delays.h"
#include "replay/progress/progress.h"
#include "replay/regime/regime.h"
#include "replay/send/send.h"
#include "replay/signals/internal.h"
#include "replay/signals/signals.h"
#include "replay/tasks/tasks.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

/* How often a thread waits, for what, and reads the clock or queries its process, depends on timing. */
static bool is_pace(const struct event *e)
{
    const struct rex_call *c = call_of(e->record->call);
    return e->unsent || (c && (is_readiness_wait(c) || e->record->call == REX_NR_epoll_ctl || e->record->call == REX_NR_clock_gettime || e->record->call == REX_NR_getpid));
}

/* A sibling sent it when recorded, and has not here: threads wake each other as often as needed. */
static bool is_unsent_wakeup(struct task *t, const struct event *e)
{
    if (!has_shared_work(t) || !replay_is_signal(e))
        return false;
    const struct task_log *sender = replay_siginfo(e->record).si_code == SI_TKILL ? replay_sender_of(e) : NULL;
    return sender && sender->tgid == t->task_log->tgid && !replay_is_sent(t, e);
}

/* The signal that the task has next.  Among siblings none waits for signals that were not needed here and are past; one from
 * inside waits for no logged wait.  Once nothing moves, none waits for what else is left over, nor for wake-up signals. */
struct event *replay_next_signal(struct task *t, bool nothing_moves)
{
    struct event *e = replay_next(t);
    struct task_log *s = t->task_log;
    size_t past = s->answered ? task_log_place(s, s->answered) : 0;
    bool is_next = true;
    for (size_t i = s->cursor; e && i < s->signals_to; i++) {
        e = s->event[i];
        if (e->done || (nothing_moves && is_unsent_wakeup(t, e)))
            continue;
        if (replay_is_signal(e))
            return is_next || nothing_moves || replay_sender_of(e) ? e : NULL;
        if (!has_shared_work(t) || !(nothing_moves || i < past || is_pace(e)))
            return NULL;
        is_next = is_next && i < past;
    }
    return NULL;
}

/* The wait that a signal ended when recorded; NULL: none. */
static struct event *wait_ended_by(const struct task *t, const struct event *e)
{
    size_t i = task_log_place(t->task_log, e);
    struct event *wait = i ? t->task_log->event[i - 1] : NULL;
    const struct rex_call *c = wait ? call_of(wait->record->call) : NULL;
    return c && wait->record->result == -EINTR && is_readiness_wait(c) ? wait : NULL;
}

/* Whether a wait of threads that was cut short ended so when recorded, by the signal that has come. */
bool replay_ends_by_signal(struct task *t)
{
    struct event *e = t->waits_inside ? replay_next_signal(t, false) : NULL;
    struct event *wait = e && replay_sender_of(e) && replay_is_sent(t, e) ? wait_ended_by(t, e) : NULL;
    if (wait)
        replay_done(wait);
    return wait;
}

/* A child has ended before its parent comes to the wait that this is to end: it has the signal there. */
static bool comes_before_wait(const struct task *t, const struct event *e)
{
    const struct event *wait = wait_ended_by(t, e);
    return wait && !wait->done;
}

/* The signal that the task has next does not come yet, and the task goes no further before. */
bool replay_is_signal_later(struct task *t, struct event *next)
{
    return replay_is_killed_later(t, next) || replay_passed_place(t, next) || replay_alone_precedes(t, next)
        || (is_readiness_wait(call_of(t->nr)) && replay_alone_awaits(t, next));
}

/* It is blocked until that comes, which may be now.  What has its place among the turns comes there. */
void replay_send_to_blocked(struct task *t)
{
    struct event *next = replay_next(t);
    if (next && replay_is_signal(next) && t->injected != next && !turns_is_cut(t) && replay_is_sent(t, next) && !replay_is_signal_later(t, next))
        replay_send_now(t, next);
}

/* Delivers a signal of the log, with the facts that it had when recorded. */
static bool deliver(struct task *t, struct event *e)
{
    siginfo_t info = replay_siginfo(e->record);
    struct task_log *child = info.si_signo == SIGCHLD && info.si_code >= CLD_EXITED && info.si_code <= CLD_DUMPED ? replay_sender(&info) : NULL;
    if (child)
        child->is_end_reported = true;
    if (info.si_signo != SIGSTOP)
        ptrace(PTRACE_SETSIGINFO, t->tid, 0, &info);
    replay_alone_handles(t, e);
    replay_done(e);
    replay_send_with(t, e);
    return true;
}

/* The reader of an inner pipe was faster to go than when recorded: then the write had
 * succeeded, and nobody read it either. */
static bool is_broken_early(struct task *t)
{
    struct user_regs_struct r = regs_get(t);
    uint32_t stream = files_stream(t->files, (int)r.rdi);
    if (fast_has_asked(&r))               /* a write to the standard output, which is made again at a stop */
        return !replay_signal_left(t, SIGPIPE);
    if (replay_signal_left(t, SIGPIPE) || stream || (int64_t)r.rax != -EPIPE || (long)r.orig_rax != REX_NR_write)
        return false;
    r.rax = r.rdx;
    r.orig_rax = (ull)-1;
    regs_set(t, &r);
    return true;
}

/* The signal on its way is blocked, and will come when it is not. */
void replay_signal_is_blocked(struct task *t)
{
    signal_state(t)->owed[t->injected->record->args[0] & 63] = t->injected;
    replay_done(t->injected);
    t->injected = NULL;
}

/* Signals come from the log; others only where nothing but the task itself causes them, and
 * the end of a child where the log has it next. */
bool replay_signal(struct task *t, int sig)
{
    struct event *e = t->injected;
    siginfo_t info;
    t->last_stop = log_now();
    if (e && (int)e->record->args[0] == sig) {
        t->injected = NULL;
        return deliver(t, e);
    }
    if ((e = signal_state(t)->owed[sig & 63])) {
        signal_state(t)->owed[sig & 63] = NULL;
        return deliver(t, e);
    }
    if (replay_was_woken(t, sig))
        return true;
    ptrace(PTRACE_GETSIGINFO, t->tid, 0, &info);
    if (replay_suspend_signal(t, &info) || replay_group_signal(t, &info) || replay_inside_signal(t, &info))
        return true;
    bool fault = info.si_code > 0 && replay_is_fault(sig);
    if (sig == SIGCHLD) {
        e = replay_next_signal(t, false);
        return e && (int)e->record->args[0] == sig && replay_is_sent(t, e) && !replay_is_too_early(t, e)
            && !comes_before_wait(t, e) && !replay_alone_precedes(t, e) && deliver(t, e);
    }
    if (sig == SIGPIPE && (t->lost_reader || is_broken_early(t))) {
        t->lost_reader = false;
        return false;
    }
    if ((sig == SIGPIPE || sig == SIGXFSZ) && (e = replay_signal_left(t, sig)))
        return deliver(t, e);
    if (!fault && sig != SIGPIPE)
        return false;
    e = replay_next(t);
    if (e && e->record->call == EVENT_SIGNAL && (int)e->record->args[0] == sig)
        replay_done(e);
    return true;
}

/* A signal is due that no call of the task waits for: it sleeps or computes until it comes. */
bool replay_is_signal_due(struct task *t, struct event *e, bool all_sleep)
{
    bool comes_by_write = e && e->record->args[0] == SIGXFSZ && !all_sleep;
    if (!e || comes_by_write || t->injected == e || t->held || !replay_is_sent(t, e) || (!all_sleep && replay_alone_precedes(t, e)))
        return false;
    size_t at = t->task_log->cursor;
    ull before = replay_time_before(t->task_log, at);
    ull waited = log_now() - t->last_stop;
    if (e->record->args[2] == IN_UNSEEN_CALL && waited < OVERDUE_NS && !replay_sleeps_there(t, e))
        return false;                     /* it is on its way to that call */
    return replay_computes_until(t, e)
        || (waited > BUSY_NS && ((all_sleep && !replay_time_comes(e)) || (!replay_comes_by_itself(e) && waited > e->record->time - before)));
}

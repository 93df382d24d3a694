/* Replay: signals come where the log has them, and waits end that only a signal can end. */
#include "base/base.h"
#include "fastpath/fastpath.h"
#include "log/log.h"
#include "log/repeats.h"
#include "mode/mode.h"
#include "replay/clock/clock.h"
#include "replay/index/index.h"
#include "replay/match/match.h"
#include "replay/progress/delays.h"
#include "replay/progress/progress.h"
#include "replay/regime/regime.h"
#include "replay/replay.h"
#include "replay/signals/internal.h"
#include "replay/signals/signals.h"
#include "replay/tasks/tasks.h"
#include "replay/wait/wait.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"
#include "turns/turns.h"

siginfo_t replay_siginfo(const struct record *r)
{
    siginfo_t info;
    memcpy(&info, record_field(r, FIELD_WHOLE, FIELD_OUT)->data, sizeof info);
    return info;
}

static bool is_fault(int sig)
{
    return sig == SIGSEGV || sig == SIGBUS || sig == SIGFPE || sig == SIGILL || sig == SIGTRAP || sig == SIGSYS;
}

bool replay_is_signal(const struct event *e)
{
    if (e->record->call != EVENT_SIGNAL)
        return false;
    siginfo_t info = replay_siginfo(e->record);
    return !is_fault(info.si_signo) || info.si_code <= 0;
}

/* Who in the experiment sent it, or ended; NULL if it came from outside or from the kernel. */
struct task_log *replay_sender(const siginfo_t *info)
{
    bool is_sent = info->si_code <= 0 && info->si_code != SI_TIMER && info->si_code != SI_MESGQ && info->si_code != SI_ASYNCIO;
    return is_sent || info->si_signo == SIGCHLD ? task_log_named((uint32_t)info->si_pid) : NULL;
}

/* A signal between processes of the experiment is not due before its sender has sent it,
 * nor a child's end before the child has ended. */
bool replay_was_sent(struct task *t, const struct field *f)
{
    siginfo_t info;
    memcpy(&info, f->data, sizeof info);
    struct task_log *sender = replay_sender(&info);
    if (!sender)
        return true;
    if (info.si_code > 0)
        return !sender->exit || sender->exit->done || info.si_code == CLD_STOPPED || info.si_code == CLD_CONTINUED;
    return task_log_named(t->task_log->tgid)->sent[info.si_signo & 63] > 0 || (sender->exit && sender->exit->done);
}

struct task_log *replay_sender_of(const struct event *e)
{
    siginfo_t info = replay_siginfo(e->record);
    return replay_sender(&info);
}

static bool is_ended_by(const struct task_log *s, const struct event *e)
{
    return s->exit && (s->exit->record->result & 0x7f) == (int64_t)e->record->args[0];
}

/* Whether the signal ends a process some of whose threads had ended before, and have not come as far here. */
bool replay_ends_too_early(const struct task *t, const struct event *e)
{
    const struct task_log *own = t->task_log;
    ull since = own->sent_at ? own->sent_at : t->last_stop;
    if (!is_ended_by(own, e) || log_now() - since > OVERDUE_NS)
        return false;
    for (uint32_t i = 0; i < task_log_total(); i++) {
        const struct task_log *s = task_log_of(i);
        if (s != own && s->tgid == own->tgid && s->exit && s->exit->number < e->number && !s->exit->done)
            return true;
    }
    return false;
}

/* Whether another process ends the task by the signal, which is further than it was by then: it waits, as others may look
 * whether it is there. */
bool replay_is_killed_later(struct task *t, const struct event *e)
{
    if (is_serialized() || has_shared_work(t) || !is_ended_by(t->task_log, e))
        return false;
    const struct task_log *sender = replay_sender_of(e);
    return sender && sender->tgid != t->task_log->tgid && !replay_was_sent(t, record_field(e->record, FIELD_WHOLE, FIELD_OUT));
}

bool replay_is_sent(struct task *t, const struct event *e)
{
    return replay_was_sent(t, record_field(e->record, FIELD_WHOLE, FIELD_OUT)) && !replay_ends_too_early(t, e);
}

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

/* A call of the kill family succeeded: its target may now have the signal. */
void replay_sent(struct task *t)
{
    int at = arg_of(t->nr, REX_WORD_SIG), sig = (int)t->args[at] & 63;
    int pid = call_of(t->nr)->arg[at - 1].word == REX_WORD_PID ? (int)t->args[at - 1] : 0;
    struct task_log *target = pid > 0 ? task_log_named((uint32_t)pid) : NULL;
    target = target ? task_log_named(target->tgid) : NULL;
    for (uint32_t i = 0; i < task_log_total(); i++)
        if (!target || task_log_of(i) == target) {
            task_log_of(i)->sent[sig]++;
            task_log_of(i)->sent_at = log_now();
        }
}

/* One signal that was sent has arrived. */
void replay_arrived(struct task *t, int sig)
{
    struct task_log *s = task_log_named(t->task_log->tgid);
    if (s && s->sent[sig & 63])
        s->sent[sig & 63]--;
}

/* A stopped process has it as it goes on: what let it do so the log does not have if this ended it. */
void replay_send_now(struct task *t, struct event *e)
{
    replay_arrived(t, (int)e->record->args[0]);
    t->injected = e;
    if (tgkill(t->leader->tid, t->tid, (int)e->record->args[0]))
        replay_done(e);
    else if (t->listening)
        kill(t->leader->tid, SIGCONT);
    turns_rouse(t, (int)e->record->args[0]);
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

struct event *replay_event_after(struct task *t, const struct event *e)
{
    struct task_log *s = t->task_log;
    size_t i = task_log_place(s, e);
    if (i < s->count && e->repeats && repeats_are_left(e->repeats))
        return s->event[i];
    for (i++; i < s->count && s->event[i]->done; i++)
        ;
    return i < s->count ? s->event[i] : NULL;
}

/* The signal from inside that ended the wait; NULL: none. */
struct event *replay_ender(struct task *t, const struct event *e)
{
    struct event *next = e->record->result == -EINTR ? replay_event_after(t, e) : NULL;
    return next && replay_is_signal(next) && replay_sender_of(next) ? next : NULL;
}

/* Whether a signal ended the wait whose sender has not come as far here. */
bool replay_ends_later(struct task *t, const struct event *e)
{
    struct event *signal = replay_ender(t, e);
    return signal && !replay_is_sent(t, signal);
}

bool replay_send(struct task *t, struct event *e)
{
    struct event *next = replay_event_after(t, e);
    if (!next || t->injected || !replay_is_signal(next))
        return false;
    replay_send_now(t, next);
    return true;
}

/* A signal that came as the call returned, or as the handler of the one before began, comes so again: the program may
 * look for it at once.  With one task at a time it may have been another call, which is not in the log. */
void replay_send_with(struct task *t, struct event *e)
{
    enum moment moment = e->record->call == EVENT_SIGNAL ? AT_HANDLER : WITH_LAST_EVENT;
    struct event *next = replay_event_after(t, e);
    if (next && next->record->call == EVENT_SIGNAL && next->record->args[2] == moment && !replay_is_killed_later(t, next) && !turns_is_early(t, next))
        replay_send(t, e);
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

static struct event *signal_left(const struct task *t, int sig)
{
    const struct task_log *s = t->task_log;
    for (size_t i = s->cursor; i < s->count; i++)
        if (!s->event[i]->done && s->event[i]->record->call == EVENT_SIGNAL && (int)s->event[i]->record->args[0] == sig)
            return s->event[i];
    return NULL;
}

/* A call that is refused for the limit of file size comes with a signal, which the kernel does not send where the log answers. */
void replay_send_limit(struct task *t, const struct event *e)
{
    struct event *signal = e->record->result == -EFBIG ? signal_left(t, SIGXFSZ) : NULL;
    if (signal && signal->number > e->number && t->injected != signal)
        replay_send_now(t, signal);
}

/* The reader of an inner pipe was faster to go than when recorded: then the write had
 * succeeded, and nobody read it either. */
static bool is_broken_early(struct task *t)
{
    struct user_regs_struct r = regs_get(t);
    uint32_t stream = files_stream(t->files, (int)r.rdi);
    if (fast_has_asked(&r))               /* a write to the standard output, which is made again at a stop */
        return !signal_left(t, SIGPIPE);
    if (signal_left(t, SIGPIPE) || stream || (int64_t)r.rax != -EPIPE || (long)r.orig_rax != REX_NR_write)
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
    bool fault = info.si_code > 0 && is_fault(sig);
    if (sig == SIGCHLD) {
        e = replay_next_signal(t, false);
        return e && (int)e->record->args[0] == sig && replay_is_sent(t, e) && !replay_is_too_early(t, e)
            && !comes_before_wait(t, e) && !replay_alone_precedes(t, e) && deliver(t, e);
    }
    if (sig == SIGPIPE && (t->lost_reader || is_broken_early(t))) {
        t->lost_reader = false;
        return false;
    }
    if ((sig == SIGPIPE || sig == SIGXFSZ) && (e = signal_left(t, sig)))
        return deliver(t, e);
    if (!fault && sig != SIGPIPE)
        return false;
    e = replay_next(t);
    if (e && e->record->call == EVENT_SIGNAL && (int)e->record->args[0] == sig)
        replay_done(e);
    return true;
}

/* ------------------------------------------------------------------ waiting that the log must end */

/* A signal is due that no call of the task waits for: it sleeps or computes until it comes. */
static bool is_signal_due(struct task *t, struct event *e, bool all_sleep)
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

static bool do_all_sleep(void)
{
    for (struct task *t = tasks; t; t = t->next)
        if (!replay_rests_for(t, BUSY_NS))
            return false;
    return true;
}

/* The wait ran out when recorded, and what is outside came after it: it is over by itself. */
static bool runs_out(const struct task *t)
{
    return t->fruitless && t->fruitless->number < t->outside->number;
}

/* Of those that wait for what is inside while the log has something outside for them: the first of that. */
static bool cut_first_short(void)
{
    struct task *first = NULL;
    struct event *best = NULL;
    for (struct task *t = tasks; t; t = t->next)
        if (t->alive && replay_may_cut_short(t) && !runs_out(t) && !replay_runtime_left(t, t->outside) && (!best || t->outside->number < best->number)) {
            best = t->outside;
            first = t;
        }
    if (first)
        replay_force_external(first, best);
    return first || replay_runtime_skip();
}

static ull last_stop(void)
{
    ull last = 0;
    for (struct task *t = tasks; t; t = t->next)
        last = t->last_stop > last ? t->last_stop : last;
    return last;
}

void replay_idle(void)
{
    struct task *earliest = NULL;
    bool all_sleep = do_all_sleep(), sent = false;
    replay_note_sleep(all_sleep);
    for (struct task *t = tasks; t; t = t->next) {
        if (!t->alive)
            continue;
        struct event *due = replay_next_signal(t, false);
        if (replay_is_doomed(t) && (replay_was_killed(t) || replay_has_run_until_kill(t) || (all_sleep && !replay_time_comes(t->task_log->exit))))
            kill(t->leader->tid, SIGKILL);
        else if (is_signal_due(t, due, all_sleep)) {
            replay_send_now(t, due);
            sent = true;
        } else if (t->held && (!earliest || t->matched->number < earliest->matched->number))
            earliest = t;
    }
    if (!sent && !all_sleep && replay_still_for() > OVERDUE_NS && replay_send_overdue(earliest))
        return;                           /* threads poll for as long as it does not come */
    if (sent || !all_sleep || (earliest && replay_time_comes(earliest->matched)) || cut_first_short() || replay_send_overdue(earliest))
        return;
    if (earliest)
        replay_force(earliest);
    else
        replay_end_if_stuck(last_stop());
}

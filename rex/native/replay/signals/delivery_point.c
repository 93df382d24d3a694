/* Replay: the points at which signals are delivered, between the calls that the log has or at others. */
#include "base/base.h"
#include "fastpath/fastpath.h"
#include "log/log.h"
#include "mode/mode.h"
#include "record/record.h"
#include "replay/index/index.h"
#include "replay/progress/progress.h"
#include "replay/regime/regime.h"
#include "replay/send/send.h"
#include "replay/signals/internal.h"
#include "replay/signals/signals.h"
#include "replay/wait/wait.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

/* It enters no call before a signal comes, or something else moves. */
void replay_block(struct task *t)
{
    struct user_regs_struct r = t->regs;
    r.orig_rax = REX_NR_pause;
    regs_set(t, &r);
    t->blocked = t->want_exit = true;
}

/* Where the signal came that the task has next, and that is not on its way; BETWEEN_CALLS without one. */
static enum moment awaited(struct task *t)
{
    const struct event *e = t->task_log ? replay_next(t) : NULL;
    return e && e->record->call == EVENT_SIGNAL && t->injected != e ? (enum moment)e->record->args[2] : BETWEEN_CALLS;
}

/* A call on a plain file, which its position there distinguishes from others. */
static uint64_t file_place(const struct event *e)
{
    return is_serialized() || e->record->args[2] != AT_UNSEEN_CALL ? 0 : e->record->args[4];
}

/* Its next signal came as it was unblocked, or at a call that is not in the log: then all its calls stop.  For a child's end
 * a stop comes anyway: the calls before it need not stop, if no position in a file identifies the call. */
bool replay_awaits_call(struct task *t)
{
    enum moment moment = awaited(t);
    const struct event *e = moment == AT_UNSEEN_CALL ? replay_next(t) : NULL;
    return moment == AT_UNBLOCK || moment == IN_UNSEEN_CALL || (e && (e->record->args[0] != SIGCHLD || file_place(e) || replay_is_sent(t, e)));
}

static void block_signal(const struct task *t, int sig, bool blocks)
{
    uint64_t set = 0, bit = 1ULL << (sig - 1);
    ptrace(PTRACE_GETSIGMASK, t->tid, sizeof set, &set);
    set = blocks ? set | bit : set & ~bit;
    ptrace(PTRACE_SETSIGMASK, t->tid, sizeof set, &set);
}

/* At a call that the log has after a signal, which came before a call that the log does not have: that call was made before the sender
 * had come as far, so the sender is waited for now.  What has blocked the signal since then does so again once it was handled.
 * A thread may read clocks meanwhile, as it does before it waits: its siblings may need it there, and the sender them. */
bool replay_passed_place(struct task *t, struct event *e)
{
    int sig = (int)e->record->args[0];
    if (is_serialized() || e->record->args[2] != AT_UNSEEN_CALL || t->injected == e || (has_shared_work(t) && replay_is_pace(t->nr)))
        return false;
    if (task_blocks(t, sig)) {
        block_signal(t, sig, false);
        signal_state(t)->let_in = e;
        signal_state(t)->let_in_sp = t->regs.rsp;
    }
    return !replay_is_sent(t, e);
}

/* A wait for signals that the program does not make in the log, as the signal had come before: it is to end this wait. */
bool replay_waits_past_place(struct task *t, struct event *e)
{
    uint64_t shut_out = 0;
    if (is_serialized() || e->record->args[2] != AT_UNSEEN_CALL || t->nr != REX_NR_rt_sigsuspend || !replay_sender_of(e)
        || !mem_read(t->tid, t->args[0], &shut_out, sizeof shut_out) || shut_out & 1ULL << (e->record->args[0] - 1))
        return false;
    if (t->injected != e && replay_is_sent(t, e))
        replay_send_now(t, e);
    return true;
}

static void shut_out_again(struct task *t)
{
    if (!signal_state(t)->let_in || !signal_state(t)->let_in->done || t->regs.rsp != signal_state(t)->let_in_sp)
        return;
    block_signal(t, (int)signal_state(t)->let_in->record->args[0], true);
    signal_state(t)->let_in = NULL;
}

/* Its point is where a call unblocks it.  A call that sets the mask to the same value, and does not query the old one, was taken for such, too, if
 * the signal came as it was made. */
static bool is_let_in(struct task *t, const struct event *e)
{
    int sig = (int)e->record->args[0];
    return task_masks(t, sig, SIG_UNBLOCK) && (task_blocks(t, sig) || (!t->args[2] && replay_is_sent(t, e)));
}

/* A loop may make the same call often: it is not the one before which the signal came while nobody has sent it. */
static bool is_there(struct task *t, const struct event *e)
{
    return (file_place(e) ? place_in_file(t) == file_place(e) : replay_is_sent(t, e)) && !replay_alone_precedes(t, e);
}

/* At a call's entry: true if the signal comes now, or is waited for, and the call begins after it. */
bool replay_finds_place(struct task *t)
{
    enum moment moment = awaited(t);
    struct event *e = replay_next(t);
    shut_out_again(t);
    bool is_such = moment == AT_UNBLOCK ? is_let_in(t, e) : moment == AT_UNSEEN_CALL && t->nr == (long)e->record->args[3];
    if (!is_such || fast_caller_sp(t) != (uint64_t)e->record->result || (moment == AT_UNSEEN_CALL && !is_there(t, e)))
        return false;
    if (file_place(e) && !replay_is_sent(t, e)) {
        replay_block(t);
        return true;
    }
    replay_send_now(t, e);
    if (moment == AT_UNBLOCK)
        return false;                     /* it comes as the call returns */
    rewind_call(t);
    return true;
}

/* Its task comes to where it has it. */
bool replay_comes_by_itself(const struct event *e)
{
    return e->record->args[2] >= AT_NEXT_CALL && e->record->args[2] != AT_HANDLER;
}

/* The call begins that a signal interrupted, which has been sent by now: it finds it there. */
void replay_interrupts(struct task *t)
{
    struct event *e = replay_next(t);
    if (!is_serialized() && awaited(t) == IN_UNSEEN_CALL && replay_came_in_call(e, t->nr) && replay_sender_of(e) && replay_is_sent(t, e) && !task_blocks(t, (int)e->record->args[0]))
        replay_send_now(t, e);
}

/* The signal that came to the task in a call which no event shows, before the event; it may have yet to come to that call. */
static const struct event *due_before(struct task *t, const struct event *e)
{
    const struct event *next = replay_next(t);
    const struct task_log *s = t->task_log;
    for (size_t i = s->cursor; next && i < s->count && s->event[i]->number < e->number; i++) {
        const struct event *due = s->event[i];
        if (!due->done && replay_is_signal(due))
            return due->record->args[2] == IN_UNSEEN_CALL && t->injected != due ? due : NULL;
        if (!due->done && has_shared_work(t))
            return NULL;
    }
    return NULL;
}

/* Sleeps end at once here.  One that ended after a signal came that another task waits for, in a call that no event
 * shows, must not: what its task does next could end that call instead. */
bool replay_sleeps_over(struct task *t, const struct event *e)
{
    const struct rex_call *c = call_of(e->record->call);
    if (is_serialized() || !c || c->hook != REX_HOOK_SLEEP)
        return false;
    for (struct task *other = tasks; other; other = other->next) {
        bool counts = other != t && other->alive && other->task_log && !(has_shared_work(t) && replay_is_sibling(t, other->task_log));
        const struct event *due = counts ? due_before(other, e) : NULL;
        if (due && replay_is_sent(other, due))
            return true;
    }
    return false;
}

/* A sibling's signal ended the sleep, but the sibling may only send it once this thread goes on.  Then the sleep ends by itself, and so do
 * later ones, until the signal is sent. */
bool replay_sleep_continues(struct task *t, const struct event *e)
{
    struct event *signal = has_shared_work(t) && call_of(t->nr)->hook == REX_HOOK_SLEEP ? replay_ender(t, e) : NULL;
    return signal && replay_is_sibling(t, replay_sender_of(signal)) && !replay_is_sent(t, signal) && (e->unsent || replay_sleep_is_over(t));
}

/* It is to end a sleep that no event shows, and the task does not sleep yet, or elsewhere; or has its place among the calls. */
bool replay_is_too_early(struct task *t, const struct event *e)
{
    if (turns_is_early(t, e))
        return true;
    bool waits_past = e->record->args[2] == AT_UNSEEN_CALL && is_cut_short(t) && (long)regs_get(t).orig_rax == REX_NR_rt_sigsuspend;
    return (replay_comes_by_itself(e) && !waits_past)
        || (e->record->args[2] == IN_UNSEEN_CALL && !(is_cut_short(t) && replay_came_in_call(e, (long)regs_get(t).orig_rax)));
}

/* Nothing moves any more: whether a signal that is left may change that. */
bool replay_send_left(void)
{
    for (struct task *t = tasks; t; t = t->next) {
        struct event *e = t->alive && !t->held && t->task_log ? replay_next_signal(t, true) : NULL;
        if (e && t->injected != e && replay_is_sent(t, e)) {
            replay_send_now(t, e);
            return true;
        }
    }
    return false;
}

/* One of another process, or to a process as such, that is sent by now, is not held up for ever by what else is left over of a
 * thread: others may have done that. */
bool replay_send_overdue(const struct task *earliest)
{
    for (struct task *t = tasks; t; t = t->next) {
        struct event *e = t->alive && !t->held && t->task_log ? replay_next_signal(t, true) : NULL;
        const struct task_log *sender = e ? replay_sender_of(e) : NULL;
        bool is_for_any = sender && (sender->tgid != t->task_log->tgid || replay_siginfo(e->record).si_code == SI_USER);
        bool is_first = is_for_any && (!earliest || e->number < earliest->matched->number);
        if (is_first && t->injected != e && replay_is_sent(t, e) && !replay_time_comes(e)) {
            replay_send_now(t, e);
            return true;
        }
    }
    return false;
}

/* Replay: which recorded signals their senders have sent, and how one is sent to its task. */
#include "base/base.h"
#include "log/log.h"
#include "mode/mode.h"
#include "replay/index/index.h"
#include "replay/progress/delays.h"
#include "replay/send/send.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"
#include "turns/turns.h"

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

bool replay_send(struct task *t, struct event *e)
{
    struct event *next = replay_event_after(t, e);
    if (!next || t->injected || !replay_is_signal(next))
        return false;
    replay_send_now(t, next);
    return true;
}

/* The kernel reports a child's end before the log has it. */
bool turns_is_early(const struct task *t, const struct event *e)
{
    uint64_t calls = e->record->args[3];
    return is_serialized() && (calls > turns_place(t)->calls || (calls == turns_place(t)->calls && e->record->args[5] > turn.passed));
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

struct event *replay_signal_left(const struct task *t, int sig)
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
    struct event *signal = e->record->result == -EFBIG ? replay_signal_left(t, SIGXFSZ) : NULL;
    if (signal && signal->number > e->number && t->injected != signal)
        replay_send_now(t, signal);
}

/* The kernel takes these up again by a call of another number once a stop has interrupted them. */
static bool is_taken_up(long nr)
{
    return nr == REX_NR_futex || nr == REX_NR_poll || (call_of(nr) && call_of(nr)->hook == REX_HOOK_SLEEP);
}

/* The call that it interrupted, or came before. */
bool replay_came_in_call(const struct event *e, long nr)
{
    const struct record *r = e->record;
    int64_t was = r->args[2] == AT_UNSEEN_CALL ? (int64_t)r->args[3] : r->result;
    return nr == was || nr == REX_NR_restart_syscall || (was == REX_NR_restart_syscall && is_taken_up(nr));
}

/* It sleeps where the signal came, and lets it in. */
bool replay_sleeps_there(struct task *t, const struct event *e)
{
    int nr = -1;
    proc_value(t->tid, "syscall", "%d", &nr);
    return task_state(t) == 'S' && replay_came_in_call(e, nr) && !task_blocks(t, (int)e->record->args[0]);
}

/* Replay: processes that were killed, which nothing could catch.
 *
 * Their part of the log ends before that, maybe in a call that never returned: so they wait, in the kernel or at what the log does not have,
 * until all has happened that others did before. */
#include "base/base.h"
#include "log/log.h"
#include "mode/mode.h"
#include "replay/index/index.h"
#include "replay/ipc/ipc.h"
#include "replay/order/order.h"
#include "replay/signals/signals.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

/* The log ends here, by a kill. */
bool replay_is_doomed(struct task *t)
{
    return t->task_log && !shares_memory(t) && t->task_log->exit && (t->task_log->exit->record->result & 0x7f) == SIGKILL && !replay_next(t);
}

bool replay_was_killed(const struct task *t)
{
    return task_log_named(t->task_log->tgid)->sent[SIGKILL];
}

static bool kills(const struct record *r, uint32_t tgid)
{
    int sig = arg_of(r->call, REX_WORD_SIG);
    return sig > 0 && call_of(r->call)->arg[sig - 1].word == REX_WORD_PID && r->result == 0
        && (uint32_t)r->args[sig - 1] == tgid && r->args[sig] == SIGKILL;
}

/* Its call had begun before that, or may have. */
static bool is_under_way(const struct event *e, const struct event *at)
{
    const struct task_log *s = task_log_of(e->record->task);
    size_t place = task_log_place(s, e);
    return !place || s->event[place - 1]->number < at->number;
}

/* Who killed its process, NULL: nobody of the log's.  A process may be seen to end before the call returns that killed it; one
 * that has ended may be killed as well. */
static const struct event *killer_of(struct task_log *s)
{
    enum { FAR = 4096 };
    size_t end = s->exit->number + FAR < event_count ? s->exit->number + FAR : event_count;
    if (s->killer_known)
        return s->killer;
    s->killer_known = true;
    for (size_t i = s->exit->number; i-- > 0 && !s->killer; )
        if (kills(events[i].record, s->tgid))
            s->killer = &events[i];
    for (size_t i = s->exit->number + 1; i < end && !s->killer; i++)
        if (kills(events[i].record, s->tgid) && is_under_way(&events[i], s->exit))
            s->killer = &events[i];
    return s->killer;
}

/* The log has nothing more of any thread of its process. */
static bool are_all_doomed(const struct task *t)
{
    for (struct task *sibling = tasks; sibling; sibling = sibling->next)
        if (sibling->alive && sibling->leader == t->leader && !replay_is_doomed(sibling))
            return false;
    return true;
}

/* Unless the log has a call that kills it, it does so itself, or was killed from outside. */
static bool is_due(struct task *t)
{
    const struct event *killer = killer_of(t->task_log);
    if (replay_was_killed(t) || (killer && killer->done))
        return true;
    if (killer && task_log_of(killer->record->task)->tgid != t->task_log->tgid)
        return false;
    return are_all_doomed(t) && (killer || is_serialized() || replay_is_turn(t, t->task_log->exit));
}

/* Killed by the kernel or from outside as it computed: it has used as much processor time as when recorded. */
bool replay_has_run_until_kill(struct task *t)
{
    if (!replay_is_doomed(t) || !are_all_doomed(t) || killer_of(t->task_log))
        return false;
    const struct record *exit = t->task_log->exit->record;
    return task_usage(t).ran / 1000 >= exit->args[0] + exit->args[1];
}

bool replay_kill_due(struct task *t)
{
    if (!is_due(t))
        return false;
    if (t->has_locks)
        replay_leaves_locks(t);           /* it is resumed at once, maybe from its last stop */
    kill(t->leader->tid, SIGKILL);
    return true;
}

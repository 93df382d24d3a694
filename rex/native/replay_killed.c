/* Replay: processes that were killed, which nothing could catch.
 *
 * Their part of the log ends before that, maybe in a call that never returned: so they wait, in the kernel or at what the log does not have,
 * until all has happened that others did before. */
#include "engine.h"

/* The log ends here, by a kill. */
bool replay_is_doomed(struct task *t)
{
    return t->script && !is_kin(t) && t->script->exit && (t->script->exit->record->result & 0x7f) == SIGKILL && !replay_next(t);
}

bool replay_was_killed(const struct task *t)
{
    return script_named(t->script->tgid)->sent[SIGKILL];
}

static bool kills(const struct record *r, uint32_t tgid)
{
    int of_thread = r->call == REX_NR_tgkill;
    return (of_thread || r->call == REX_NR_kill || r->call == REX_NR_tkill) && r->result == 0
        && (uint32_t)r->args[of_thread] == tgid && r->args[1 + of_thread] == SIGKILL;
}

/* It kills itself, or was killed from outside, unless the log has a call that does. */
static bool is_due(struct task *t)
{
    const struct event *exit = t->script->exit;
    if (serial_on || replay_was_killed(t))
        return true;
    for (size_t i = exit->number; i-- > 0; )
        if (kills(events[i].record, t->script->tgid))
            return events[i].done || script_of(events[i].record->task)->tgid == t->script->tgid;
    return replay_is_turn(t, exit);
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

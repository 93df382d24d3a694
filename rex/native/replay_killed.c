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

/* Its call had begun before that, or may have. */
static bool is_under_way(const struct event *e, const struct event *at)
{
    const struct script *s = script_of(e->record->task);
    size_t place = script_place(s, e);
    return !place || s->event[place - 1]->number < at->number;
}

/* Who killed its process, NULL: nobody of the log's.  A process may be seen to end before the call returns that killed it; one
 * that has ended may be killed as well. */
static const struct event *killer_of(struct script *s)
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
    for (struct task *mate = tasks; mate; mate = mate->next)
        if (mate->alive && mate->leader == t->leader && !replay_is_doomed(mate))
            return false;
    return true;
}

/* Unless the log has a call that kills it, it does so itself, or was killed from outside. */
static bool is_due(struct task *t)
{
    const struct event *killer = killer_of(t->script);
    if (replay_was_killed(t) || (killer && killer->done))
        return true;
    if (killer && script_of(killer->record->task)->tgid != t->script->tgid)
        return false;
    return are_all_doomed(t) && (killer || serial_on || replay_is_turn(t, t->script->exit));
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

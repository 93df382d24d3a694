/* Replay: where a task is in its log, and what it has there next. */
#include "base/base.h"
#include "log/repeats.h"
#include "replay/index/index.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

struct event *replay_next(struct task *t)
{
    struct task_log *s = t->task_log;
    while (s && s->cursor < s->count && s->event[s->cursor]->done)
        s->cursor++;
    return s && s->cursor < s->count ? s->event[s->cursor] : NULL;
}

bool replay_is_sibling(const struct task *t, const struct task_log *s)
{
    return s->tgid == t->task_log->tgid || (s->memory_group && s->memory_group == t->task_log->memory_group && shares_memory(t));
}

/* The sibling thread's call that it answers is under way. */
bool replay_is_taken(const struct task *t, const struct event *e)
{
    return e->done || (e->taker && e->taker != t && e->taker->matched == e);
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

/* Where the task is in its task log.  Threads do not come for all that the log has of them: after the last that one of several came for. */
size_t replay_place(struct task *t)
{
    struct task_log *s = t->task_log;
    size_t after = has_shared_work(t) && s->answered ? task_log_place(s, s->answered) + 1 : 0;
    replay_next(t);
    return after > s->cursor ? after : s->cursor;
}

const struct event *replay_ahead_of(struct task *t)
{
    const struct task_log *s = t->task_log;
    size_t at = s ? replay_place(t) : 0;
    while (s && at < s->count && s->event[at]->done)
        at++;
    return s && at < s->count ? s->event[at] : NULL;
}

bool replay_child_looks(const struct task *t)
{
    return t->args[t->nr == REX_NR_wait4 ? 2 : 3] & WNOHANG;
}

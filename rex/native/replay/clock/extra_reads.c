/* Replay: extra clock reads.  A process that gets pipe data in different chunks reads the clock a different number of times.
 *
 * Python reads it for each lock that it takes, which is once for each read of a pipe.  Such readings have no effect.  Readings at
 * another call site may have one, and get the recorded times. */
#include "base/base.h"
#include "log/log.h"
#include "mode/mode.h"
#include "replay/clock/clock.h"
#include "replay/index/index.h"
#include "replay/match/match.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

static bool is_reading(const struct event *e)
{
    return replay_is_pace(e->record->call);
}

/* The log's reading for that place before anything else than readings and signals; its readings for other places before that are not
 * needed any more. */
static struct event *find_place(struct task *t, uint64_t key)
{
    const struct task_log *s = t->task_log;
    size_t end = s->cursor, i = s->cursor;
    while (end < s->count && (s->event[end]->done || is_reading(s->event[end]) || replay_is_signal(s->event[end])))
        end++;
    while (i < end && (s->event[i]->done || !is_reading(s->event[i]) || s->event[i]->key != key || s->event[i]->record->args[1] != t->args[1]))
        i++;
    if (i == end)
        return NULL;
    for (size_t k = s->cursor; k < i; k++)
        if (!s->event[k]->done && is_reading(s->event[k]))
            replay_done(s->event[k]);
    return s->event[i];
}

/* Whether the log has readings at that place, here or before. */
static bool had_place(const struct task *t, uint64_t key)
{
    enum { FAR = 4096 };
    const struct task_log *s = t->task_log;
    for (size_t i = s->cursor + 1, n = 0; i-- > 0 && n < FAR; n++)
        if (i < s->count && s->event[i]->key == key && s->event[i]->record->call == t->nr && s->event[i]->record->args[1] == t->args[1])
            return true;
    return false;
}

/* The answer to such a reading; e is the next unused one of its clock.  NULL: this reading is one more than the log has. */
struct event *replay_paced(struct task *t, struct event *e, uint64_t key)
{
    struct event *expected = replay_next(t), *found;
    if (!e || has_shared_work(t) || !replay_is_pace(t->nr) || (e == expected && e->record->args[1] == t->args[1]))
        return e;
    if ((found = find_place(t, key)))
        return found;
    return (e == expected || is_reading(expected)) && !had_place(t, key) ? e : replay_equal_answer(t, t->nr, key) ? NULL : e;
}

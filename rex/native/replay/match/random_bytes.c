/* Replay: which thread draws which random bytes. */
#include "base/base.h"
#include "callstack/callstack.h"
#include "log/log.h"
#include "replay/index/index.h"
#include "replay/match/match.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"

static bool drew_as_many(const struct task *t, const struct task_log *s, uint64_t key)
{
    enum { FAR = 512 };
    const struct event *e = queue_at(queue_id(s, REX_NR_getrandom, key, 0))->first;
    for (int i = 0; e && i < FAR; e = e->next[PLAIN], i++)
        if (e->record->args[1] == t->args[1])
            return true;
    return false;
}

/* Whether the first thread, whose logged bytes are used up, draws for itself, since others drew too: how often depends on their timing. */
bool replay_is_drawn_by_first(const struct task *t, const struct task_log *first, long nr, uint64_t key)
{
    if (nr != REX_NR_getrandom || t == t->leader || first != task_log_named(t->task_log->tgid))
        return false;
    for (uint32_t i = 0; i < task_log_total(); i++)
        if (task_log_of(i) != first && task_log_of(i)->tgid == first->tgid && drew_as_many(t, task_log_of(i), key))
            return true;
    return false;
}

/* What the program draws at one place it draws in the order of the log, whichever threads run that: a runtime whose functions
 * only frame pointers show moves what it runs from thread to thread (Go). */
struct event *replay_drawn(struct task *t, uint64_t key)
{
    uint64_t drawer = drawer_of(t);
    struct event *best = NULL;
    for (uint32_t i = 0; drawer && i < task_log_total(); i++) {
        struct event *e = task_log_of(i)->tgid == t->task_log->tgid ? queue_left(queue_at(queue_id(task_log_of(i), t->nr, key, 0)), PLAIN) : NULL;
        while (e && (e->record->args[5] != drawer || e->record->args[1] != t->args[1] || replay_is_taken(t, e)))
            e = e->next[PLAIN];
        best = e && (!best || e->number < best->number) && replay_is_same_program(task_log_of(i), e) ? e : best;
    }
    return best;
}

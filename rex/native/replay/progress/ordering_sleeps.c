/* Replay: when a process that only waited for time goes on.
 *
 * It does at once, but not before what the log has before it.  A program sleeps to let others come first, and what
 * these do meanwhile may be no event (a write to an inner pipe): while one of them is at something, it goes on when they
 * have had the processor for as long as they could have had it when recorded. */
#include "base/base.h"
#include "log/log.h"
#include "mode/mode.h"
#include "replay/index/index.h"
#include "replay/progress/delays.h"
#include "replay/progress/internal.h"
#include "replay/progress/progress.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

static ull length_of(const struct event *e)
{
    const struct task_log *s = task_log_of(e->record->task);
    size_t at = task_log_place(s, e);
    ull before = at || s->birth ? replay_time_before(s, at) : e->record->time;
    return e->record->time > before ? e->record->time - before : 0;
}

/* Threads and memory groups wait by the kernel's clock.  Shorter sleeps say nothing about an order. */
bool replay_is_rest(const struct event *e)
{
    const struct rex_call *c = call_of(e->record->call);
    bool is_over = !log_is_plain && !is_serialized() && c && is_over_by_time(c, e->record->result);
    return is_over && !task_log_leader(e->record->task)->has_threads && !task_log_of(e->record->task)->memory_group && length_of(e) >= WOKEN_NS;
}

/* Those of other processes that are at something, and for how long all have had a processor, ns. */
struct look { unsigned busy; ull ran; };

static struct look look_at_others(const struct task *t)
{
    struct look now = {0, 0};
    for (struct task *other = tasks; other; other = other->next) {
        if (!other->alive || other->leader == t->leader)
            continue;
        now.ran += task_usage(other).ran;
        char state = replay_state(other);
        now.busy += !(state == 'S' || state == 'Z' || state == 'X');
    }
    return now;
}

/* Who is woken while we look has had a processor, or is about to, when we look again. */
static struct look look_twice(const struct task *t)
{
    struct look first = look_at_others(t), then = first.busy ? first : look_at_others(t);
    then.busy += then.ran != first.ran;
    return then;
}

/* Its turn has come; true: it rests on. */
bool replay_rests(struct task *t, const struct event *e)
{
    const struct rex_call *c = e->ordered ? call_of(e->record->call) : NULL;
    if (!c || !is_over_by_time(c, e->record->result) || !is_single(t))
        return false;
    struct look now = look_twice(t);
    if (progress_state(t)->rest.event != e) {
        progress_state(t)->rest.event = e;
        progress_state(t)->rest.ran = now.ran;
    }
    ull length = length_of(e), ran = now.ran > progress_state(t)->rest.ran ? now.ran - progress_state(t)->rest.ran : 0;
    return now.busy && ran < length * now.busy && log_now() - t->last_stop < SLOWER * length;
}

bool replay_any_rests(void)
{
    for (struct task *t = tasks; t; t = t->next)
        if (t->alive && t->held && t->matched && t->matched == progress_state(t)->rest.event)
            return true;
    return false;
}

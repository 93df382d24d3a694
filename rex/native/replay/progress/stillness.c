/* Replay: since when no event has happened that is not idle.  One record, which starts again with each such event. */
#include "base/base.h"
#include "log/log.h"
#include "replay/index/index.h"
#include "replay/progress/delays.h"
#include "replay/progress/internal.h"
#include "replay/progress/progress.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

static struct stillness now_still;

struct stillness *replay_stillness(void)
{
    if (!now_still.since || now_still.progress != replay_progress)
        now_still = (struct stillness){.progress = replay_progress, .since = log_now()};
    return &now_still;
}

ull replay_still_for(void)
{
    return log_now() - replay_stillness()->since;
}

void replay_note_sleep(bool all_sleep)
{
    struct stillness *s = replay_stillness();
    ull now = log_now(), passed = s->noted ? now - s->noted : 0;
    if (all_sleep)
        s->slept += passed < ONE_LOOK_NS ? passed : ONE_LOOK_NS;
    s->noted = now;
    s->all_sleep = all_sleep;
}

/* How long tasks compute is up to the machine: where all sleep, it counts for how long they have. */
ull replay_unmoved_for(void)
{
    const struct stillness *s = replay_stillness();
    return s->all_sleep ? s->slept : replay_still_for();
}

bool replay_rests_for(struct task *t, ull least)
{
    if (t->alive && !t->only_waits && log_now() - t->last_stop < least)
        return false;
    char state = t->alive && !t->held ? task_state(t) : 'S';
    bool is_reported = state == 't' && !t->listening;      /* we have not come to that yet */
    return !(state == 'R' || state == 'D' || is_reported);
}

struct wait_end *replay_wait_end(const struct task *t)
{
    return &progress_state(t)->end;
}

bool replay_ran_more(ull ran)
{
    struct stillness *s = replay_stillness();
    bool has_run = ran != s->had;
    s->had = ran;
    return has_run;
}

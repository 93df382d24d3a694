/* Replay: which events have happened, and how many. */
#include "base/base.h"
#include "log/log.h"
#include "log/repeats.h"
#include "replay/index/index.h"
#include "syscalls/syscalls.h"

bool is_clock(long nr)
{
    return nr == REX_NR_clock_gettime;
}

bool is_timed(long nr)
{
    return is_clock(nr) || nr == REX_NR_gettimeofday || nr == EVENT_TSC;
}

uint64_t replay_progress, replay_events_taken;

static void note_latest(struct event *e)
{
    if (is_timed(e->record->call)) {
        struct queue *q = queue_at(queue_id(task_log_of(e->record->task), e->record->call, e->key, 0));
        q->latest = q->latest && q->latest->number > e->number ? q->latest : e;
    }
}

void replay_done(struct event *e)
{
    replay_events_taken += !e->done;
    replay_progress += !e->done && !e->idle;
    e->done = true;
    note_latest(e);
}

/* Some calls of its record have been answered: after the last it is done. */
void replay_took(struct event *e, uint32_t calls)
{
    bool is_last = !e->repeats || e->done || !repeats_next(e->repeats, calls);
    replay_events_taken += calls - is_last;
    replay_progress += e->idle ? 0 : calls - is_last;
    if (is_last)
        replay_done(e);
    else
        note_latest(e);
}

void replay_put_aside(struct event *e)
{
    e->done = e->aside = true;
}

/* Record: a task begins, and ends. */
#include "base/base.h"
#include "callstack/callstack.h"
#include "fastpath/fastpath.h"
#include "log/log.h"
#include "record/internal.h"
#include "tracee/task.h"
#include "tracee/tracee.h"
#include "track/track.h"

#include <sched.h>
#include <sys/resource.h>

void record_born(struct task *parent, struct task *t, uint64_t flags)
{
    struct bytes b = {0};
    if (plan.seed)
        seed_born(parent, t);
    log_begin(&b, EVENT_TASK, t->index);
    struct record *r = (struct record *)b.data;
    r->args[0] = parent ? parent->index : UINT32_MAX;
    r->args[1] = parent ? record_state(parent)->children++ : 0;
    r->args[2] = flags;
    r->args[3] = (uint64_t)t->tid;
    r->args[4] = (uint64_t)t->leader->tid;
    r->args[5] = t->leader->index;
    r->result = flags & CLONE_THREAD ? (int64_t)maker_of(parent) : 0;
    if (!parent)
        record_inherited(t, &b);
    shared_born(parent, t, flags);
    if (parent && (t->joins_turns = pipe_may_join(parent, flags)))
        ((struct record *)b.data)->result |= JOINS_TURNS;
    pipe_inherited(parent, t, flags);
    if (parent && pipe_may_speak(t, flags))
        ((struct record *)b.data)->result |= SPEAKS_HIGH;
    log_end(&b);
    bytes_free(&b);
    if (parent)
        record_forked(parent, t, flags);
    else
        record_inherited_files(t);
}

static uint64_t microseconds(struct timeval t)
{
    return (uint64_t)t.tv_sec * 1000000u + (uint64_t)t.tv_usec;
}

void record_ended(struct task *t, int status, const struct rusage *used)
{
    writer_goes(t);
    cause_ends(t);
    t->held = false;
    arrivals_ended(t);
    shared_recount(t);
    record_forget_deferred(t);
    if (t->stepping)
        record_delivery(t, false, BETWEEN_CALLS);
    fast_sync_others(t);
    struct bytes b = {0};
    log_begin(&b, EVENT_EXIT, t->index);
    struct record *r = (struct record *)b.data;
    r->result = status;
    r->args[0] = microseconds(used->ru_utime);
    r->args[1] = microseconds(used->ru_stime);
    log_end(&b);
    bytes_free(&b);
}

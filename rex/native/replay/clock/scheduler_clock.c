/* Replay: the clock by which a runtime schedules (Go's).
 *
 * How often the runtime reads it, and in which thread, differs in each run.  The log's answer for a call site may be long
 * past, or still to come, and timeouts would expire too early or never.  So the runtime gets a time that advances with the
 * replay.  While anything moves, that time does not pass the process's next logged event that others can see.
 * External events come at their time.  Once all that runs is waiting, the time until the next of either is skipped. */
#include "base/base.h"
#include "log/log.h"
#include "replay/clock/clock.h"
#include "replay/clock/internal.h"
#include "replay/index/index.h"
#include "replay/progress/delays.h"
#include "replay/progress/progress.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <sched.h>

/* How much time has been skipped; all processes agree on that. */
static ull skipped;
static bool is_awaited;                  /* something waits for its time, that we are to be in time for */

/* How long some task has waited for a processor that other programs used, as far as it has one by now and this was not yet counted, ns.
 * If our own tasks have all processors, they wait for each other, as they did when recorded. */
static ull kept_off(ull passed)
{
    static struct usage own;
    ull most = 0, ran = usage_since(NULL, &own).ran;
    cpu_set_t cpus;
    for (struct task *t = tasks; t; t = t->next) {
        struct usage since = t->alive ? usage_since(t, &clock_state(t)->seen) : (struct usage){0, 0};
        most = since.waited > most ? since.waited : most;
        ran += since.ran;
    }
    ull all = passed * (sched_getaffinity(0, sizeof cpus, &cpus) ? 1 : (ull)CPU_COUNT(&cpus));
    return ran < all ? (ull)((double)most * (double)(all - ran) / (double)all) : 0;
}

/* Ours, but what passes while tasks wait for a processor, as others have it: so long a limit of time is not nearer for them. */
static ull time_here(void)
{
    enum { WHOLE = 1024 };
    static ull here, at, looked_at, lost, pace = WHOLE;
    ull now = log_now(), passed = now - looked_at;
    if (passed > SHARE_NS) {
        lost += kept_off(passed);
        ull less = lost < passed ? lost : passed;
        lost -= less;
        pace = WHOLE - less * WHOLE / passed;
        looked_at = now;
    }
    here += (now - at) * pace / WHOLE;
    at = now;
    return here + skipped;
}

static struct runtime *runtime_of(const struct task *t)
{
    struct task_log *s = t->leader->task_log;
    return s && s->runtime.at ? &s->runtime : NULL;
}

bool replay_runtime_goes(const struct task *t)
{
    return runtime_of(t);
}

static uint64_t recorded_at(const struct event *e)
{
    return replay_clock_began() + e->record->time;
}

/* ------------------------------------------------------------------ the clock */

static bool is_seen(const struct event *e)
{
    return e->record->result >= 0 && (e->ordered || (e->record->stream && call_of(e->record->call)));
}

/* When the process does next what others can see: as long after what it did last as when recorded. */
static uint64_t next_seen(const struct task_log *s, struct runtime *r)
{
    for (; r->next < event_count; r->next++) {
        const struct event *e = &events[r->next];
        if (!e->done && task_log_of(e->record->task)->tgid == s->tgid && is_seen(e) && (int64_t)(recorded_at(e) - r->less - r->now) >= 0)
            return recorded_at(e) - r->less;
    }
    return UINT64_MAX;
}

/* As much has passed for it as for us. */
static uint64_t flowed(const struct runtime *r)
{
    return r->now + (time_here() - r->at);
}

/* caller: the log's readings for the caller; those that are past by then are taken. */
uint64_t replay_runtime_now(struct task *t, struct queue *caller)
{
    struct task_log *s = t->leader->task_log;
    struct runtime *r = &s->runtime;
    r->at = r->at ? r->at : time_here();
    uint64_t now = flowed(r), limit = next_seen(s, r);
    if (now >= limit && replay_still_for() < AWAY_NS)
        now = limit - 1;
    r->now = now > r->now ? now : r->now;
    r->at = time_here();
    for (struct event *e; caller && (e = queue_left(caller, CALLER)) && clock_of(e->record) <= r->now; )
        replay_done(e);
    return r->now;
}

/* The program itself has read the time.  The runtime's first reading begins with that value. */
void replay_runtime_note_reading(struct task *t, uint64_t time)
{
    struct task_log *s = t->leader->task_log;
    if (s && !s->runtime.at && time > s->runtime.now)
        s->runtime.now = time;
}

/* ------------------------------------------------------------------ waits */

uint64_t replay_runtime_less(const struct task *t, const struct event *e)
{
    const struct runtime *r = runtime_of(t);
    return r ? recorded_at(e) - flowed(r) : 0;
}

ull replay_runtime_left_by(const struct task *t, const struct event *e, uint64_t less)
{
    const struct runtime *r = runtime_of(t);
    int64_t left = r ? (int64_t)(recorded_at(e) - less - flowed(r)) : 0;
    is_awaited |= left > 0;
    return left > 0 ? (ull)left : 0;
}

ull replay_runtime_left(const struct task *t, const struct event *e)
{
    const struct runtime *r = runtime_of(t);
    return r ? replay_runtime_left_by(t, e, r->less) : 0;
}

/* What others can see has happened: what comes after it in the log does so as long after it. */
void replay_runtime_reached(struct task *t, const struct event *e)
{
    struct runtime *r = runtime_of(t);
    if (r && is_seen(e))
        r->less = replay_runtime_less(t, e);
}

bool replay_runtime_is_awaited(void)
{
    bool is = is_awaited;
    is_awaited = false;
    return is;
}

/* A wait begins that lasts for so long at most. */
void replay_runtime_waits(struct task *t, ull limit)
{
    const struct runtime *r = runtime_of(t);
    clock_state(t)->wait_until = r ? time_here() + limit : 0;
    clock_state(t)->wait_to = r ? flowed(r) + limit : 0;
}

/* It has lasted that long, whatever the process has yet to do; that it took longer here, as others had the processor, does not count. */
void replay_runtime_waited(struct task *t)
{
    struct runtime *r = runtime_of(t);
    if (!r)
        return;
    uint64_t now = flowed(r) < clock_state(t)->wait_to ? flowed(r) : clock_state(t)->wait_to;
    r->now = now > r->now ? now : r->now;
    r->at = time_here();
}

/* Whether the task goes on by itself, by a time that is not ours to skip.  What a thread of the runtime waits for at a lock is
 * the time that another waits for. */
bool replay_runtime_moves(struct task *t)
{
    enum mover mover = t->alive ? replay_mover(t, NULL) : NOBODY;
    long nr = -1;
    if (mover == TIME && runtime_of(t) && !t->waits_inside)
        proc_value(t->tid, "syscall", "%ld", &nr);
    return mover != NOBODY && !(mover == TIME && runtime_of(t) && (t->waits_inside || nr == REX_NR_futex));
}

/* How long it is until the task's wait goes on, ns, 0: it does not wait for time; *is_over: as it is over, and nothing has come. */
ull replay_runtime_wait_left(struct task *t, bool awaits_outside, bool *is_over)
{
    if (!t->alive || !t->waits_inside || t->wait_ended || !runtime_of(t))
        return 0;
    ull limit = clock_state(t)->wait_until > time_here() ? clock_state(t)->wait_until - time_here() : 0;
    ull outside = awaits_outside ? replay_runtime_left(t, t->outside) : 0;
    *is_over = !outside || (limit && limit <= outside);
    return *is_over ? limit : outside;
}

void replay_runtime_skip(ull time)
{
    skipped += time;
}

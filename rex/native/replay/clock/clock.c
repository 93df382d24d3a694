/* Replay: which reading of the log answers a clock.
 *
 * A runtime reads the clock as often as its threads collide, the program as often as its code demands.  Which of them reads shows
 * in the functions that led there, or in where the answer goes: addresses are as they were recorded. */
#include "base/base.h"
#include "callstack/callstack.h"
#include "fastpath/frames.h"
#include "log/log.h"
#include "replay/clock/clock.h"
#include "replay/clock/internal.h"
#include "replay/index/index.h"
#include "replay/match/match.h"
#include "replay/progress/delays.h"
#include "replay/regime/regime.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <time.h>

static struct { const struct task *t; ull stop; uint64_t caller; bool is_in_files; } known;

/* The caller of the current call, which several functions need; the log has none for a process before its first thread. */
static uint64_t caller_now(struct task *t)
{
    if (!t->leader->threaded)
        return 0;
    if (known.t != t || known.stop != t->last_stop) {
        known.caller = callstack_hash(t);
        known.is_in_files = caller_ends_in_file();
        known.t = t;
        known.stop = t->last_stop;
    }
    return known.caller;
}

/* ------------------------------------------------------------------ limits of waits */

enum { SELDOM = 16, FEW_MISSED = 4 };

/* A loop reads the clock before it waits, and after. */
static bool is_loop(const struct queue *caller)
{
    return caller && caller->asked > SELDOM && 2 * caller->waits > caller->asked;
}

/* Whether who read the clock last does so for that alone. */
bool replay_clock_limits(const struct task *t)
{
    return clock_state(t)->caller && is_limit(queue_at(clock_state(t)->caller));
}

/* CLOCK_MONOTONIC was read. */
static void note_reading(struct task *t, const struct queue *caller, uint64_t time)
{
    struct clock_state *own = clock_state(t);
    own->last.clock = time;
    own->last.least = is_limit(caller) || time < own->last.least ? own->last.least : time;
    own->caller = caller ? caller->id : 0;
}

/* ------------------------------------------------------------------ forward */

static struct queue *of_thread(const struct task *t, uint64_t key, uint64_t place)
{
    return queue_at(queue_id(t->task_log, REX_NR_clock_gettime, key, place));
}

/* The runtime reads it, to schedule by it or to measure how long something takes. */
static bool is_scheduling(struct task *t, uint64_t caller)
{
    return caller && !is_caller_by_tables(caller) && is_runtime(t, caller);
}

bool replay_knows_caller(struct task *t, uint64_t key)
{
    uint64_t caller = caller_now(t);
    return is_scheduling(t, caller) || caller_queue(t->task_log, key, caller) || (is_caller_by_tables(caller) && !shares_memory(t));
}

/* Whether the program itself reads it, by functions found through frame pointers: any thread may run them now, whatever it has waited for. */
static bool is_programs(const struct task *t, uint64_t key, const struct record *r)
{
    const struct queue *q = is_caller_by_tables(r->args[5]) ? NULL : caller_queue(t->task_log, key, caller_in(r));
    return q && q->count <= SELDOM;
}

/* A place where the program itself reads the clock, by how seldom it does, and not its runtime. */
static bool is_seldom(const struct task *t, uint64_t key, const struct event *e)
{
    enum { FEW = 256 };
    size_t n = of_thread(t, key, place_of(e->record->call, e->record->args))->count;
    if (is_programs(t, key, e->record))
        return true;
    return n * SELDOM <= of_thread(t, key, 0)->count || (is_caller_by_tables(e->record->args[5]) && n <= FEW);
}

static uint64_t least_of(const struct task *t)
{
    return clock_state(t)->last.least < clock_state(t)->floor ? clock_state(t)->floor : clock_state(t)->last.least;
}

/* The thread's next logged reading that is not over, at any place but for a timeout. */
static const struct event *ahead(struct task *t, uint64_t key)
{
    enum { FAR = 512 };
    struct queue *q = of_thread(t, key, 0);
    struct event *e = queue_left(q, PLAIN);
    if (q->ahead && e && q->ahead->number > e->number)
        e = q->ahead;
    for (; e && (e->done || clock_of(e->record) <= least_of(t)); e = e->next[PLAIN]) {
        q->ahead = e;
        if (!e->done && !is_seldom(t, key, e))
            replay_done(e);
    }
    for (int i = 0; e && (e->done || is_limit(caller_queue(t->task_log, key, caller_in(e->record)))); e = e->next[PLAIN])
        if (++i > FAR)
            return NULL;
    return e;
}

/* Whether the thread has read the clock so often, for so long, that it does not come to what the log has next. */
static bool has_passed(const struct task *t, const struct event *next)
{
    enum { OFTEN = 64 };
    uint64_t left = clock_of(next->record) - least_of(t);
    return clock_state(t)->readings > OFTEN && log_now() - clock_state(t)->readings_since > SLOWER * left + BUSY_NS;
}

/* If the program measures how long something took, it gets the log's time, though the replay, which is slower, has waited longer.
 * A loop does not: its timeouts would never expire. */
static bool is_free(const struct task *t, uint64_t key, const struct record *r)
{
    return is_caller_by_tables(r->args[5]) ? !is_loop(caller_queue(t->task_log, key, caller_in(r))) : is_programs(t, key, r);
}

/* A thread gets no earlier time than before.  Nor does it get a later one than the log has for it at another
 * call site that it may still reach, if it reaches that site less often: then this reading is an extra one.  A
 * clock that is read at few sites gives what the log has for them. */
static struct event *forward(struct task *t, uint64_t key, struct queue *q, int kind)
{
    struct event *e = queue_left(q, kind);
    if (t->args[0] != CLOCK_MONOTONIC || !e)
        return e;
    bool is_exact = kind != EXACT || is_seldom(t, key, e);
    uint64_t least = !is_exact ? least_of(t) : is_free(t, key, e->record) ? 0 : clock_state(t)->logged_floor;
    for (; e && clock_of(e->record) < least; e = queue_left(q, kind))
        replay_done(e);
    const struct event *next = e && !is_exact ? ahead(t, key) : NULL;
    size_t few = next ? of_thread(t, key, place_of(next->record->call, next->record->args))->count : 0;
    bool is_more = next && next->number < e->number && few * (is_caller_by_tables(next->record->args[5]) ? SELDOM : 1) < q->count;
    return is_more && !has_passed(t, next) ? NULL : e;
}

/* A limit is not reckoned from what the log has for a later place of the thread. */
static struct event *limit(struct task *t, uint64_t key, struct queue *own)
{
    struct event *e = queue_left(own, EXACT);
    for (; e && clock_of(e->record) < clock_state(t)->last.clock; e = queue_left(own, EXACT))
        replay_done(e);
    const struct event *next = e ? ahead(t, key) : NULL;
    return next && next->number < e->number ? NULL : e;
}

const struct last_readings *replay_last_readings(const struct task *t)
{
    return &clock_state(t)->last;
}

uint64_t replay_clock_floor(const struct task *t)
{
    return clock_state(t)->floor;
}

/* The clock is later by that where the log has no more: a program that sleeps until then would not wake else. */
void replay_clock_waited(struct task *t, uint64_t length)
{
    if (length && clock_state(t)->last.least)
        clock_state(t)->waited_floor = clock_state(t)->last.least + length;
}

/* A wait has lasted until then.  If that was computed from a time that the log does not have, it says nothing about the log's
 * readings at a place where the program itself reads the clock: a replay is slower. */
void replay_clock_passed(struct task *t, uint64_t until)
{
    struct clock_state *own = clock_state(t);
    own->floor = until > own->floor ? until : own->floor;
    own->logged_floor = own->last.clock_at && until > own->logged_floor ? until : own->logged_floor;
}

/* A thread that goes alone has done what the log has after that time: from here on the log's time counts. */
static void clock_reached(struct task *t, uint64_t time)
{
    struct clock_state *own = clock_state(t);
    uint64_t *least[] = {&own->floor, &own->logged_floor, &own->last.least};
    for (size_t i = 0; i < sizeof least / sizeof *least; i++)
        *least[i] = *least[i] < time ? *least[i] : time;
}

/* A reading that the log has. */
void replay_clock_note(struct task *t, const struct event *e)
{
    struct clock_state *own = clock_state(t);
    const struct record *r = e->record;
    if (r->call == REX_NR_clock_gettime || r->call == REX_NR_gettimeofday)
        t->task_log->clock_at = log_now();
    if (r->call == EVENT_TSC)
        t->task_log->tsc_at = log_now();
    if (r->call == REX_NR_clock_gettime && r->args[0] == CLOCK_MONOTONIC) {
        uint64_t key = call_key(call_of(r->call), r->call, NULL, 0, r->args);
        note_reading(t, caller_queue(t->task_log, key, caller_in(r)), clock_of(r));
        of_thread(t, key, r->args[5])->met++;
        own->last.clock_at = replay_clock_read_at(r);
        own->readings = 0;
        replay_runtime_note_reading(t, own->last.clock);
    }
    if (r->call == REX_NR_gettimeofday || (r->call == REX_NR_clock_gettime && r->args[0] == CLOCK_REALTIME)) {
        own->last.wall = clock_of(r);
        own->last.wall_at = replay_clock_read_at(r);
        own->wall_reading = e;
    }
    if (is_moment(r))
        replay_did_all(t);
}

/* A replay may take longer than the recording.  After the recorded end of its process a clock goes slowly, so that no timer is set for
 * later than the times that other threads get. */
static uint64_t until_end(const struct task *t, uint64_t now)
{
    enum { SLOWLY = 64 };
    const struct task_log *s = t->leader->task_log;
    uint64_t began = replay_clock_began(), end = began && s && s->exit ? began + s->exit->record->time : now;
    return now > end ? end + (now - end) / SLOWLY : now;
}

/* Of a clock that only goes forward: the time now, by what the thread has read. */
static uint64_t monotonic(struct task *t, uint64_t key, uint64_t now)
{
    struct clock_state *own = clock_state(t);
    if (is_scheduling(t, caller_now(t))) {
        note_reading(t, NULL, replay_runtime_now(t, caller_queue(t->task_log, key, caller_now(t))));
        own->last.clock_at = 0;
        return own->last.clock;
    }
    now = until_end(t, now);
    const struct event *next = ahead(t, key);
    const struct queue *caller = caller_queue(t->task_log, key, caller_now(t));
    uint64_t least = is_limit(caller) ? own->last.clock : least_of(t) < own->waited_floor ? own->waited_floor : least_of(t);
    if (!is_limit(caller) && !own->readings++)
        own->readings_since = log_now();
    if (next && now >= clock_of(next->record) && (is_limit(caller) || !has_passed(t, next)))
        now = clock_of(next->record) - 1;
    note_reading(t, caller, now < least ? least : now);
    own->last.clock_at = 0;
    return own->last.clock;
}

/* Time since the thread's last reading.  Before its first reading the tracee has one that the log has for it later, or for another. */
static ull since_reading(struct task_log *s)
{
    if (!s->clock_at)
        s->clock_at = log_now();
    return log_now() - s->clock_at;
}

/* A clock that is read more often than when recorded goes on from its last reading, which the tracee has by now. */
void replay_clock_goes_on(struct task *t, const struct rex_call *c, uint64_t key)
{
    enum { NS = 1000000000 };
    int arg = t->nr == REX_NR_clock_gettime;
    uint64_t last[2], unit = t->nr == REX_NR_gettimeofday ? 1000 : 1;
    if (c->policy != REX_EMULATE || (!arg && t->nr != REX_NR_gettimeofday) || !mem_read(t->tid, t->args[arg], last, sizeof last))
        return;
    uint64_t now = last[0] * NS + last[1] * unit + since_reading(t->task_log);
    if (arg && t->args[0] == CLOCK_MONOTONIC)
        now = monotonic(t, key, now);
    else if (!arg || t->args[0] == CLOCK_REALTIME) {
        clock_state(t)->last.wall = now;
        clock_state(t)->last.wall_at = 0;
        clock_state(t)->wall_reading = NULL;
    }
    last[0] = now / NS;
    last[1] = now % NS / unit;
    mem_write(t->tid, t->args[arg], last, sizeof last);
}

/* ------------------------------------------------------------------ */

/* Work that another thread did when recorded: whether that was between this thread's last reading and its next logged one.
 * anywhere: whatever place the other's answer had on its stack. */
static struct event *moved(struct task *t, uint64_t key, struct queue *q, bool anywhere)
{
    struct event *e = queue_left(q, CALLER);
    bool is_monotonic = t->args[0] == CLOCK_MONOTONIC;
    while (e && (e->done || (is_monotonic && clock_of(e->record) < least_of(t)) || !(anywhere || replay_is_like_place(t, e))))
        e = e->next[CALLER];
    if (!is_monotonic)
        return e;
    const struct event *next = e ? ahead(t, key) : NULL;
    return next && next->number < e->number ? NULL : e;
}

/* Where stacks lie depends on which thread was made first: that counts only for readings by code that is made at run time. */
static bool asked_there(struct task *t, const struct record *r)
{
    uint64_t caller = caller_now(t);
    return known.is_in_files ? caller == r->args[5] : is_same_caller(caller, t->args[1], r->args[5], r->args[1]);
}

/* It reads more often than when recorded, or at other times: such as a runtime that checks whether to compile something. */
static bool is_erratic(const struct queue *own)
{
    return FEW_MISSED * own->missed > own->met;
}

/* Whether the log has many readings of the thread by other functions before e, where it surely will read: then this is an extra reading.
 * Readings by few functions, over and over, are a loop's. */
static bool is_far(struct task *t, uint64_t key, struct queue *own, const struct event *e)
{
    enum { FAR = 4096, NEAR = 64, FEW = 4 };
    struct queue *all = of_thread(t, key, 0);
    const struct event *next = ahead(t, key) ? all->ahead : NULL;
    uint64_t caller[FEW];
    int others = 0, callers = 0;
    next = next ? next : queue_left(all, PLAIN);
    for (int i = 0; next && next->number < e->number && i < FAR; next = next->next[PLAIN], i++) {
        uint64_t by = next->record->args[5];
        if (next->done || caller_in(next->record) == caller_in(e->record) || is_erratic(of_thread(t, key, by)) || is_limit(caller_queue(t->task_log, key, caller_in(next->record))))
            continue;
        if (is_erratic(own))
            return true;
        int k = 0;
        while (k < callers && caller[k] != by)
            k++;
        if (k == callers && callers < FEW)
            caller[callers++] = by;
        if (++others > NEAR && callers == FEW)
            return true;
    }
    return false;
}

/* exactly: with as much on its stack. */
static struct event *left_there(struct task *t, struct queue *own, bool exactly)
{
    enum { FAR = 512 };
    struct event *e = queue_left(own, EXACT);
    for (int i = 0; e && (e->done || !asked_there(t, e->record) || (exactly && !replay_is_like_place(t, e))); e = e->next[EXACT])
        if (++i > FAR)
            return NULL;
    return e;
}

/* The thread's logged reading at its present call site.  The same functions have other stack addresses if others called them; so they have
 * if code that is made at run time was compiled meanwhile.  The regular readings of such code are taken in order. */
static struct event *own_left(struct task *t, uint64_t key, struct queue *own)
{
    struct event *first = known.is_in_files ? queue_left(own, EXACT) : queue_left_since_effect(t->task_log, own), *e = first;
    if (!first)
        return NULL;
    if (known.is_in_files || is_erratic(own) || is_far(t, key, own, first)) {
        e = replay_had_like_place(t, own, EXACT) ? left_there(t, own, true) : NULL;
        if (!e || (e != first && is_far(t, key, own, e)))
            e = left_there(t, own, false);
        e = e && is_far(t, key, own, e) ? NULL : e;
    }
    e = e && e == first ? forward(t, key, own, EXACT) : e;
    own->missed += !e;
    return e;
}

/* The functions that led there are known: the log's reading for the thread, else for the process.  Functions that lead to code that is made
 * at run time say little: a thread that has never read by them does another's work only if it has as much on its stack. */
static struct event *by_caller(struct task *t, uint64_t key, struct queue *q, uint64_t caller)
{
    struct queue *own = of_thread(t, key, caller);
    bool is_monotonic = t->args[0] == CLOCK_MONOTONIC;
    if (is_monotonic && is_limit(q))
        return own->id ? limit(t, key, own) : NULL;
    struct event *e = own->id ? own_left(t, key, own) : NULL;
    if (e || (own->id && is_monotonic))
        return e;
    bool anywhere = known.is_in_files || own->id;
    e = is_monotonic ? NULL : replay_after(t, q->id);
    return e && (anywhere || replay_is_like_place(t, e)) ? e : moved(t, key, q, anywhere);
}

/* Functions that are found through frame pointers are those of a runtime, whose threads take each other's work. */
bool replay_clock_is_anyones(const struct record *r)
{
    return caller_in(r) && !is_caller_by_tables(r->args[5]);
}

/* A runtime reads both clocks, one after the other: the second reading belongs to the first, whichever
 * thread had it. */
static struct event *of_moment(struct task *t, uint64_t caller)
{
    const struct event *wall = t->args[0] == CLOCK_MONOTONIC && caller && !is_caller_by_tables(caller) ? clock_state(t)->wall_reading : NULL;
    if (!wall || caller_in(wall->record) != caller)
        return NULL;
    const struct task_log *s = task_log_of(wall->record->task);
    size_t i = task_log_place(s, wall) + 1;
    while (i < s->count && s->event[i]->record->call == EVENT_SIGNAL)
        i++;
    struct event *e = i < s->count ? s->event[i] : NULL;
    bool is_reading = e && !e->done && e->record->call == REX_NR_clock_gettime && e->record->args[0] == CLOCK_MONOTONIC;
    return is_reading && caller_in(e->record) == caller ? e : NULL;
}

static struct event *reading(struct task *t, uint64_t key)
{
    uint64_t caller = caller_now(t);
    struct queue *q = caller_queue(t->task_log, key, caller), *here = of_thread(t, key, t->args[1]);
    int kind = CALLER;
    struct event *e = of_moment(t, caller);
    clock_state(t)->wall_reading = NULL;
    if (e || is_scheduling(t, caller))
        return e;
    if (is_caller_by_tables(caller))
        return q ? by_caller(t, key, q, caller) : NULL;
    e = q && t->args[0] == CLOCK_REALTIME ? replay_after(t, q->id) : NULL;
    if (e)
        return e;
    if (!q) {                             /* some callers are not known */
        q = here;
        kind = EXACT;
    }
    if (!q->id) {
        q = of_thread(t, key, 0);
        kind = PLAIN;
        e = replay_like_place(t, q);          /* on another stack */
        if (e && (t->args[0] != CLOCK_MONOTONIC || clock_of(e->record) >= clock_state(t)->logged_floor))
            return e;
    }
    return forward(t, key, q, kind);
}

struct event *replay_clock(struct task *t, uint64_t key)
{
    uint64_t reached;
    const struct event *effect = replay_alone_side_effect(t, &reached);
    if (reached && effect)
        clock_reached(t, reached);
    struct event *e = reading(t, key);
    bool is_after = e && effect && e->number > effect->number && e->record->task == t->task_log->index;
    return is_after && t->args[0] == CLOCK_MONOTONIC && !has_passed(t, e) ? NULL : e;
}

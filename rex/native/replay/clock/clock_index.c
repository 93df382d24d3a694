/* Replay: the log's clock readings by caller. */
#include "base/base.h"
#include "callstack/callstack.h"
#include "log/log.h"
#include "replay/clock/clock.h"
#include "replay/clock/internal.h"
#include "replay/index/index.h"
#include "syscalls/syscalls.h"

#include <time.h>

/* The process and the caller in it, whatever thread ran that. */
static uint64_t caller_id(uint32_t tgid, uint64_t key, uint64_t caller)
{
    uint64_t words[4] = {tgid, REX_NR_clock_gettime, key, caller};
    return hash_bytes(words, sizeof words, 1) | 1;
}

/* 0: not known; it is odd else. */
uint64_t caller_in(const struct record *r)
{
    return r->args[5] & 1 ? r->args[5] : 0;
}

/* The log's readings for this caller, in any thread of the process; NULL if the caller is not known. */
struct queue *caller_queue(const struct task_log *s, uint64_t key, uint64_t caller)
{
    struct queue *q = caller ? queue_at(caller_id(s->tgid, key, caller)) : NULL;
    return q && q->id ? q : NULL;
}

/* Who read the clock before the thread waited until a point in time: the next reading says so.  And who did next to a wait for
 * readiness. */
static void find_limits(const struct task_log *s)
{
    struct queue *caller = NULL;
    bool waited = false;
    for (size_t i = 0; i < s->count; i++) {
        const struct record *r = s->event[i]->record;
        const struct rex_call *c = call_of(r->call);
        if (c && is_readiness_wait(c)) {
            if (caller && !waited)
                caller->waits++;
            waited = true;
        }
        if (r->call != REX_NR_clock_gettime || !is_caller_by_tables(r->args[5]))
            continue;
        if (caller) {
            caller->asked++;
            caller->limits += r->args[4] == 1;
        }
        caller = caller_queue(s, s->event[i]->key, r->args[5]);
        if (caller && waited)
            caller->waits++;
        waited = false;
    }
}

/* A wait with a timeout (for a lock, say) reads the clock before, as often as it waits.  That number differs in each run,
 * and says nothing about where the thread is in the log. */
bool is_limit(const struct queue *caller)
{
    return caller && 2 * caller->limits > caller->asked;
}

bool replay_clock_is_limit(const struct event *e)
{
    const struct record *r = e->record;
    return r->call == REX_NR_clock_gettime && is_limit(caller_queue(task_log_of(r->task), e->key, caller_in(r)));
}

/* A reading whose caller is known, and the call on a path that its thread had made before, 0: none. */
struct asked { struct event *event; uint64_t time, did; };

static int by_time(const void *one, const void *other)
{
    const struct asked *a = one, *b = other;
    return a->time != b->time ? (a->time > b->time) - (a->time < b->time) : (a->event > b->event) - (a->event < b->event);
}

/* CLOCK_MONOTONIC as the recording began, at the earliest: what threads note without a stop comes into the log later. */
static uint64_t began;

static void find_beginning(const struct record *r)
{
    if (r->call == REX_NR_clock_gettime && r->args[0] == CLOCK_MONOTONIC && clock_of(r) > r->time + began)
        began = clock_of(r) - r->time;
}

uint64_t replay_clock_began(void)
{
    return began;
}

/* A thread may be kept from the processor when it has read a clock: what it waits for from then on is over by what it read. */
uint64_t replay_clock_read_at(const struct record *r)
{
    bool is_monotonic = r->call == REX_NR_clock_gettime && r->args[0] == CLOCK_MONOTONIC;
    uint64_t first = is_monotonic ? began : log_start(), now = clock_of(r);
    return now > first && now - first < r->time ? now - first : r->time;
}

/* The time of day, read by functions that frame pointers show: the thread does not go on with what it did before. */
bool is_moment(const struct record *r)
{
    return r->call == REX_NR_clock_gettime && r->args[0] == CLOCK_REALTIME && caller_in(r) && !is_caller_by_tables(r->args[5]);
}

static struct bytes find_asked(void)
{
    uint64_t *did = zalloc((task_log_total() + 1) * sizeof *did);
    struct bytes found = {0};
    for (size_t i = 0; i < event_count; i++) {
        const struct record *r = events[i].record;
        const struct rex_call *c = call_of(r->call);
        find_beginning(r);
        if (c && c->key == REX_KEY_PATH)
            did[r->task] = events[i].key;
        if (r->call == REX_NR_clock_gettime && caller_in(r))
            bytes_add(&found, &(struct asked){&events[i], clock_of(r), did[r->task]}, sizeof(struct asked));
        if (is_moment(r))
            did[r->task] = 0;
    }
    free(did);
    return found;
}

/* What threads have noted without a stop comes into the log as each stops: their readings are in order by what they read. */
void replay_clock_start(void)
{
    struct bytes found = find_asked();
    struct asked *asked = (struct asked *)found.data;
    size_t count = found.used / sizeof *asked;
    if (count)
        qsort(asked, count, sizeof *asked, by_time);
    for (size_t i = 0; i < count; i++) {
        struct event *e = asked[i].event;
        const struct record *r = e->record;
        uint32_t tgid = task_log_of(r->task)->tgid;
        queue_add(e, caller_id(tgid, e->key, r->args[5]), CALLER);
        if (r->args[0] == CLOCK_REALTIME && asked[i].did)
            queue_add(e, replay_after_id(caller_id(tgid, e->key, r->args[5]), asked[i].did), AFTER);
    }
    bytes_free(&found);
    for (uint32_t i = 0; i < task_log_total(); i++)
        find_limits(task_log_of(i));
}

/* The answers to it are left once more. */
void replay_clock_requeue(const struct task_log *s, const struct event *e)
{
    struct queue *q = queue_at(caller_id(s->tgid, e->key, e->record->args[5]));
    q->head = q->first;
}

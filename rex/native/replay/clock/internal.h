/* replay/clock: what its files share with each other only. */
#ifndef REX_REPLAY_CLOCK_INTERNAL_H
#define REX_REPLAY_CLOCK_INTERNAL_H

#include "base/base.h"
#include "replay/clock/clock.h"
#include "tracee/task.h"

struct event;
struct queue;
struct record;
struct task_log;
struct task;
/* The state that this module keeps for each task. */
struct clock_state {
    struct last_readings last;
    uint64_t caller;                     /* who read CLOCK_MONOTONIC last */
    uint64_t floor, waited_floor;        /* what CLOCK_MONOTONIC must have reached; where the log has no more */
    struct usage seen;                   /* when scheduler_clock.c looked last */
    const struct event *wall_reading;       /* NULL: it has read a clock since, or the log has no such reading */
    uint64_t readings, readings_since;   /* of CLOCK_MONOTONIC, more than the log has here */
    uint64_t logged_floor;                 /* what CLOCK_MONOTONIC must have reached, by the log */
    ull wait_until, wait_to;             /* of a wait for readiness, by our clock and its runtime's: see scheduler_clock.c */
    uint64_t did;                        /* the key of its last call on a path */
};

static inline struct clock_state *clock_state(const struct task *t)
{
    return module_state(t, CLOCK_STATE, sizeof(struct clock_state));
}

/* clock_by_last_file.c */
/* See replay/clock/clock.c. */
uint64_t replay_after_id(uint64_t caller_id, uint64_t did);  /* of the readings that came after that, see replay/clock/clock_by_last_file.c */
struct event *replay_after(struct task *t, uint64_t caller_id);
void replay_did_all(struct task *t);  /* it goes on with something else */

/* clock_index.c */
/* Clocks: see replay/clock/clock_index.c. */
uint64_t caller_in(const struct record *r);  /* the caller, which is odd; 0: not known */
struct queue *caller_queue(const struct task_log *s, uint64_t key, uint64_t caller);  /* the log's readings for this caller, in any thread of the process; NULL if the caller is not known */
bool is_limit(const struct queue *caller);
uint64_t replay_clock_read_at(const struct record *r);  /* when in the log's time, which is when that came into the log at the latest */

/* scheduler_clock.c */
/* The clock of a runtime: see replay/clock/scheduler_clock.c. */
uint64_t replay_runtime_now(struct task *t, struct queue *caller);
void replay_runtime_note_reading(struct task *t, uint64_t time);

#endif

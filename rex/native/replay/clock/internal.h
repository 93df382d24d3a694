/* replay/clock: what its files share with each other only. */
#ifndef REX_REPLAY_CLOCK_INTERNAL_H
#define REX_REPLAY_CLOCK_INTERNAL_H

#include "base/base.h"
#include "tracee/task.h"

struct event;
struct queue;
struct record;
struct script;
struct task;
/* What this room keeps of a task. */
struct clock_state {
    const struct event *wall_told;       /* NULL: it has read a clock since, or the log has no such reading */
    uint64_t readings, readings_since;   /* of CLOCK_MONOTONIC, more than the log has here */
    uint64_t told_floor;                 /* what CLOCK_MONOTONIC must have reached, by what the log told */
    ull wait_until, wait_to;             /* of a wait for readiness, by our clock and its runtime's: see scheduler_clock.c */
    uint64_t did;                        /* the key of its last call on a path */
};

static inline struct clock_state *clock_state(const struct task *t)
{
    return task_room(t, CLOCK_ROOM, sizeof(struct clock_state));
}

/* clock_by_last_file.c */
/* See replay/clock/clock.c. */
uint64_t replay_after_id(uint64_t asker_id, uint64_t did);  /* of the readings that came after that, see replay/clock/clock_by_last_file.c */
struct event *replay_after(struct task *t, uint64_t asker_id);
void replay_did_all(struct task *t);  /* it goes on with something else */

/* clock_index.c */
/* Clocks: see replay/clock/clock_index.c. */
uint64_t asker_in(const struct record *r);  /* who asked; 0: not known; it is odd else */
struct queue *asker_queue(const struct script *s, uint64_t key, uint64_t asker);  /* what the log has for who asks, in any thread of the process; NULL if that is not known */
uint64_t replay_clock_read_at(const struct record *r);  /* when in the log's time, which is when that came into the log at the latest */

/* scheduler_clock.c */
/* The clock of a runtime: see replay/clock/scheduler_clock.c. */
uint64_t replay_runtime_now(struct task *t, struct queue *asker);
void replay_runtime_told(struct task *t, uint64_t time);

#endif

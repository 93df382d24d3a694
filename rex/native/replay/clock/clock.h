/* replay/clock: which recorded reading answers a reading of a clock.
 * By call-stack hash and by what the thread did last; extra readings; the clock of a language's scheduler (Go). */
#ifndef REX_REPLAY_CLOCK_CLOCK_H
#define REX_REPLAY_CLOCK_CLOCK_H

#include "base/base.h"

struct event;
struct record;
struct rex_call;
struct task_log;
struct task;

/* What clocks answered a task last. */
struct last_readings {
    uint64_t clock, wall;                /* CLOCK_MONOTONIC and CLOCK_REALTIME */
    uint64_t clock_at, wall_at;          /* when, in the log's time; 0: not the log's answer */
    uint64_t least;                      /* CLOCK_MONOTONIC, to others than those that compute a timeout */
};

/* clock.c */
const struct last_readings *replay_last_readings(const struct task *t);
uint64_t replay_clock_floor(const struct task *t);     /* what CLOCK_MONOTONIC must have reached */
bool replay_knows_caller(struct task *t, uint64_t key);
struct event *replay_clock(struct task *t, uint64_t key);
void replay_clock_note(struct task *t, const struct event *e);
void replay_clock_goes_on(struct task *t, const struct rex_call *c, uint64_t key);
bool replay_clock_is_anyones(const struct record *r);  /* whichever thread reads there gets it */
void replay_clock_passed(struct task *t, uint64_t until);
void replay_clock_waited(struct task *t, uint64_t length);   /* a wait whose timeout is computed from a reading; 0: another */
bool replay_clock_limits(const struct task *t);
bool replay_clock_is_limit(const struct event *e);  /* a reading from which a timeout is computed */

/* clock_by_last_file.c */
void replay_did(struct task *t, uint64_t key);

/* clock_index.c */
bool is_moment(const struct record *r);  /* the time of day, read by functions that frame pointers show: the thread does not go on with what it did before */
uint64_t replay_clock_began(void);  /* CLOCK_MONOTONIC as the recording began */
void replay_clock_start(void);
void replay_clock_requeue(const struct task_log *s, const struct event *e);

/* counter.c */
void replay_tsc(struct task *t, bool with_aux, uint64_t *value, uint32_t *aux);
uint64_t replay_random(struct task *t);
bool replay_draws_more(struct task *t);  /* random bytes, by a thread that draws more often than when recorded */

/* extra_reads.c */
struct event *replay_paced(struct task *t, struct event *e, uint64_t key);

/* scheduler_clock.c */
ull replay_runtime_left(const struct task *t, const struct event *e);  /* until what came from outside comes, ns; see replay/clock/scheduler_clock.c */
ull replay_runtime_left_by(const struct task *t, const struct event *e, uint64_t less);  /* where it comes after another event */
uint64_t replay_runtime_less(const struct task *t, const struct event *e);  /* of what happens now: how much earlier it is than when recorded */
void replay_runtime_reached(struct task *t, const struct event *e);
bool replay_runtime_moves(struct task *t);
ull replay_runtime_wait_left(struct task *t, bool awaits_outside, bool *is_over);
void replay_runtime_skip(ull time);
void replay_runtime_waits(struct task *t, ull limit), replay_runtime_waited(struct task *t);
bool replay_runtime_goes(const struct task *t), replay_runtime_is_awaited(void);

#endif

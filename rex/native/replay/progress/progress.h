/* replay/progress: is anything still moving?
 * Detects a deadlock, ends waits whose recorded timeout has passed, and sleeps that only kept an order. */
#ifndef REX_REPLAY_PROGRESS_PROGRESS_H
#define REX_REPLAY_PROGRESS_PROGRESS_H

#include "base/base.h"

struct event;
struct task_log;
struct task;

enum mover { NOBODY, TIME, READER, ITSELF };  /* what can make a task go on though no other does */

/* When the wait in progress is over. */
struct wait_end {
    uint64_t at;                         /* in the log's time, 0 = unknown */
    bool is_logged;                      /* the log has that end */
    uint64_t deadline;                   /* by CLOCK_MONOTONIC as the program reads it */
    bool has_come;                       /* the wait is to end now */
};

/* deadlock.c */
char replay_state(struct task *t);
bool replay_waits_for_siblings(struct task *t);  /* only they can end its wait */
enum mover replay_mover(struct task *t, ull *limit);  /* limit: where it is time, how long that may take; NULL: not needed */
void replay_stuck_start(void);
bool replay_is_stuck(ull last);  /* no task can go on; last: when anything moved */
void replay_end_if_stuck(ull last);
bool replay_time_comes(const struct event *e);
void replay_end_if_still(void);  /* though something moves, over and over */
bool replay_any_idle(void);
ull replay_time_before(const struct task_log *s, size_t at);  /* of the event before that place, or its birth */
const struct event *replay_next_move(struct task *t);  /* its first unused event that is not idle, or its end; NULL: the log does not say */

/* stillness.c */
struct wait_end *replay_wait_end(const struct task *t);
ull replay_still_for(void);  /* for so long no event has happened that is not idle, ns */
bool replay_ran_more(ull ran);  /* all together, ns, than at the last such look; or events have happened since */
void replay_note_sleep(bool all_sleep);
bool replay_rests_for(struct task *t, ull least);  /* it sleeps, and has done nothing for so long, or waits over and over; or is held, or has ended */

/* engine_watch.c */
void replay_watch_engine(void), replay_note_step(void);

/* ordering_sleeps.c */
bool replay_is_rest(const struct event *e), replay_rests(struct task *t, const struct event *e);  /* see replay/progress/ordering_sleeps.c */
bool replay_any_rests(void);

#endif

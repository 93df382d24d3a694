/* replay: log in, answers out.
 * replay.c takes each stop, match/ finds the logged event, answer.c performs it.  Each sub-folder is one concern. */
#ifndef REX_REPLAY_REPLAY_H
#define REX_REPLAY_REPLAY_H

#include "base/base.h"
#include "replay/progress/progress.h"

struct mode;
struct event;
struct record;
struct request;
struct rex_call;
struct task_log;
struct task;
struct turn_order;

/* answer.c */
void replay_call(struct task *t, const struct rex_call *c, struct event *e);
void replay_call_exit(struct task *t, const struct rex_call *c, struct event *e, int64_t result);
void replay_unmatched(struct task *t, const struct rex_call *c);

/* fill_ring.c */
void replay_taken(struct task *t, const unsigned char *records, uint32_t n);
void replay_ready(struct task *t);

/* follow_turns.c */
extern const struct turn_order logged_turns;

/* replay.c */
extern const struct mode replayer;
void replay_perform(struct task *t);                 /* its matched event happens, or is held */

/* unlogged_rules.c */
void replay_without_event(struct request *q);
bool replay_waits_for_kill(struct task *t);

/* equal_calls.c */
struct event *match_in(struct task *t, const struct task_log *s, long nr, uint64_t key);    /* the first left in a task's queue */
struct event *match_nameless(struct task *t, long nr);
struct event *match_place(struct task *t, long nr, uint64_t key);
struct event *match_moved(struct task *t, struct event *own, long nr, uint64_t key);
struct event *match_arrived(struct task *t, struct event *e, long nr, uint64_t key);
struct event *match_sibling(struct task *t, long nr, uint64_t key);
bool is_shared_work(struct task *t, long nr);          /* what another thread may do instead of the one that did it when recorded */
struct event *replay_last_answer(struct task *t, long nr, uint64_t key);

/* skip_timeouts.c */
bool replay_any_sooner(void);
void replay_sooner_settle(void);
int64_t replay_sooner_result(struct task *t, int64_t result);
void replay_force(struct task *t);  /* goes on, though held */
extern ull replay_forced;

/* idle.c */
void replay_idle(void);

#endif

/* replay/match: find the logged event that answers a call.
 * By queue of (task, call, key); then among sibling threads; then by special matchers. */
#ifndef REX_REPLAY_MATCH_MATCH_H
#define REX_REPLAY_MATCH_MATCH_H

#include "base/base.h"

struct event;
struct queue;
struct record;
struct task_log;
struct task;
typedef bool event_fits(const struct event *e, const void *what);

/* match.c: what the rows of match_rules do, see replay/match_rules.c */
bool is_shared_work(struct task *t, long nr);          /* what another thread may do instead of the one that did it when recorded */
struct event *match_in(struct task *t, const struct task_log *s, long nr, uint64_t key);    /* the first left in a task's queue */
struct event *match_nameless(struct task *t, long nr);
struct event *match_place(struct task *t, long nr, uint64_t key);
struct event *match_moved(struct task *t, struct event *own, long nr, uint64_t key);
struct event *match_arrived(struct task *t, struct event *e, long nr, uint64_t key);
struct event *match_sibling(struct task *t, long nr, uint64_t key);
bool replay_is_shareable(long nr);  /* by another thread of its process */
struct event *replay_queue(const struct task_log *s, long nr, uint64_t key);  /* the first left; others follow by next[0] */
void replay_requeue(const struct task_log *s, const struct event *e);  /* it may be left once more */
bool replay_was_cut_off(struct task *t);  /* it had not come as far when its process ended */
uint64_t place_of(long nr, const uint64_t *args);  /* of clocks: the caller, or where the answer goes */
bool replay_is_like_place(const struct task *t, const struct event *e);
bool replay_had_like_place(const struct task *t, const struct queue *q, int kind);
struct event *replay_like_place(const struct task *t, struct queue *q);  /* of clocks: where the answer went to such a place of a stack */
void replay_match_start(void);
struct event *replay_last_answer(struct task *t, long nr, uint64_t key);
const struct event *replay_find(struct task *t, long nr, uint64_t key, event_fits *fits, const void *what);
bool replay_comes_next(const struct task *t, const struct event *e, uint32_t run);

/* reopened_proc.c */
struct event *replay_again(struct task *t, struct event *opened);

/* random_bytes.c */
struct event *replay_drawn(struct task *t, uint64_t key);

#endif

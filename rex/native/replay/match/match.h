/* replay/match: the logged events that may answer a call.
 * By queue of (task, call, key), and among sibling threads.  The choice is in replay/match_rules.c. */
#ifndef REX_REPLAY_MATCH_MATCH_H
#define REX_REPLAY_MATCH_MATCH_H

#include "base/base.h"

struct event;
struct queue;
struct record;
struct task_log;
struct task;
typedef bool event_fits(const struct event *e, const void *what);

/* match.c */
bool replay_is_same_program(struct task_log *s, const struct event *e);
struct event *replay_equal_answer(struct task *t, long nr, uint64_t key);  /* given last to such a call of the thread, else of its process */
uint64_t key_of_sibling(const struct task *t, const struct task_log *s, long nr, uint64_t key);
bool replay_is_shareable(long nr);  /* by another thread of its process */
struct event *replay_queue(const struct task_log *s, long nr, uint64_t key);  /* the first left; others follow by next[0] */
void replay_requeue(const struct task_log *s, const struct event *e);  /* it may be left once more */
bool replay_was_cut_off(struct task *t);  /* it had not come as far when its process ended */
uint64_t place_of(long nr, const uint64_t *args);  /* of clocks: the caller, or where the answer goes */
bool replay_is_like_place(const struct task *t, const struct event *e);
bool replay_had_like_place(const struct task *t, const struct queue *q, int kind);
struct event *replay_like_place(const struct task *t, struct queue *q);  /* of clocks: where the answer went to such a place of a stack */
void replay_match_start(void);
const struct event *replay_find(struct task *t, long nr, uint64_t key, event_fits *fits, const void *what);
bool replay_comes_next(const struct task *t, const struct event *e, uint32_t run);

/* reopened_proc.c */
struct event *replay_again(struct task *t, struct event *opened);

/* random_bytes.c */
bool replay_is_drawn_by_first(const struct task *t, const struct task_log *first, long nr, uint64_t key);
struct event *replay_drawn(struct task *t, uint64_t key);

#endif

/* replay/match: what its files share with each other only. */
#ifndef REX_REPLAY_MATCH_INTERNAL_H
#define REX_REPLAY_MATCH_INTERNAL_H

#include "base/base.h"

struct event;
struct task_log;
struct task;

/* match.c */
bool replay_is_same_program(struct task_log *s, const struct event *e);

/* random_bytes.c */
bool replay_is_drawn_by_first(const struct task *t, const struct task_log *first, long nr, uint64_t key);

#endif

/* track: what its files share with each other only. */
#ifndef REX_TRACK_INTERNAL_H
#define REX_TRACK_INTERNAL_H

#include "base/base.h"

struct task;

/* arrival_order.c */
void arrivals_watch(struct task *t);

/* pipe_turns.c */
bool pipe_is_left(const struct task *t, ino_t pipe);

#endif

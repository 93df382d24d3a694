/* replay/progress: what its files share with each other only. */
#ifndef REX_REPLAY_PROGRESS_INTERNAL_H
#define REX_REPLAY_PROGRESS_INTERNAL_H

#include "base/base.h"

struct task;

/* deadlock.c */
char replay_state(struct task *t);
bool replay_waits_for_mates(struct task *t);  /* only they can end its wait */

#endif

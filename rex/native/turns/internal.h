/* turns: what its files share with each other only. */
#ifndef REX_TURNS_INTERNAL_H
#define REX_TURNS_INTERNAL_H

#include "base/base.h"

struct task;

/* quiescence.c */
bool is_asleep(struct task *t);
bool is_quiet_after(struct task *t);  /* all that its call may have woken; NULL: all others */

/* mute.c */
void turns_mute(struct task *t), turns_unmute(struct task *t);   /* as a call begins, and returns */

/* spin.c */
unsigned spin_length(struct task *t, unsigned steps);

#endif

/* turns: what its files share with each other only. */
#ifndef REX_TURNS_INTERNAL_H
#define REX_TURNS_INTERNAL_H

#include "base/base.h"
#include "tracee/task.h"
#include "turns/turns.h"

struct task;
/* The state that this module keeps for each task. */
struct turn_state {
    struct turn_place place;
    bool preempting, muted, roused;      /* an interruption is on its way; see mute.c */
    int parked_signal;
    unsigned spin;                       /* instructions of the loop in which it was interrupted, 0 = no such loop */
    uint64_t ticket, preempted_at, used_at, used_in, heard;     /* the last: its mask of signals, as it is muted */
    ull patience;                        /* ns that it may run without a call before it is looked at */
    bool returned;                       /* from a call, since it was resumed */
    ull used, computed;                  /* ns of processor time as it was first interrupted, after a call in a turn; and since then */
};

static inline struct turn_state *turn_state(const struct task *t)
{
    return module_state(t, TURNS_STATE, sizeof(struct turn_state));
}

/* quiescence.c */
bool is_asleep(struct task *t);
bool is_quiet_after(struct task *t);  /* all that its call may have woken; NULL: all others */

/* mute.c */
void turns_mute(struct task *t), turns_unmute(struct task *t);   /* as a call begins, and returns */

/* spin.c */
unsigned spin_length(struct task *t, unsigned steps);

#endif

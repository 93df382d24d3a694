/* track: what its files share with each other only. */
#ifndef REX_TRACK_INTERNAL_H
#define REX_TRACK_INTERNAL_H

#include "base/base.h"
#include "tracee/task.h"

struct task;

/* What this room keeps of a task. */
struct track_state {
    struct arrival { bool waits, is_out; int64_t size; uint64_t pipe; ull at, ran; } came;    /* see arrival_order.c; size: of what it does not have yet */
    pid_t made_by;                       /* which waits until it executes */
    bool makes_ipc;                      /* what its call gets is new */
    uint64_t random, random_drawn, random_children;       /* see seeded_random.c */
};

static inline struct track_state *track_state(const struct task *t)
{
    return module_state(t, TRACK_STATE, sizeof(struct track_state));
}

/* arrival_order.c */
void arrivals_watch(struct task *t);

/* pipe_turns.c */
bool pipe_is_left(const struct task *t, ino_t pipe);

#endif

/* replay/regime: what its files share with each other only. */
#ifndef REX_REPLAY_REGIME_INTERNAL_H
#define REX_REPLAY_REGIME_INTERNAL_H

#include "base/base.h"
#include "tracee/task.h"

/* What this room keeps of a task. */
struct regime_state {
    uint64_t handler_sp;                 /* the stack below which it handles a signal that came as it rested, 0 = none */
};

static inline struct regime_state *regime_state(const struct task *t)
{
    return module_state(t, REGIME_STATE, sizeof(struct regime_state));
}

#endif

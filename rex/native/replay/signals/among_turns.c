/* Replay: where a signal has its place among the turns of `--serialize`. */
#include "base/base.h"
#include "log/log.h"
#include "mode/mode.h"
#include "replay/index/index.h"
#include "replay/signals/signals.h"
#include "tracee/task.h"
#include "turns/turns.h"

/* Signals have their place among the calls: after so many, or inside the next one; and among the turns. */
bool replay_is_signal_at(struct task *t, bool inside, uint64_t passed)
{
    struct event *e = replay_next(t);
    return e && !t->injected && replay_is_signal(e) && e->record->args[3] == turns_place(t)->calls
        && e->record->args[5] <= passed && (bool)e->record->args[4] == inside;
}

/* The call that begins now was interrupted when recorded, and made again or never came to an end. */
bool turns_is_cut(struct task *t)
{
    return is_serialized() && replay_is_signal_at(t, true, UINT64_MAX);
}

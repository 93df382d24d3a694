/* Tasks that are deaf to the end of a child while they sleep in a call. */
#include "base/base.h"
#include "mode/mode.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"
#include "turns/internal.h"
#include "turns/turns.h"

static const uint64_t CHILD = 1ULL << (SIGCHLD - 1);

/* While it is recorded: no handler waits for it, and the kernel would wake nobody for its sake; but traced threads it does. */
static bool may_be_deaf(const struct task *t)
{
    return run_mode->replays || (tasks_forked() && t->leader->threads > 1 && !is_caught(t->tid, SIGCHLD));
}

/* The log says whom the end of a child woke.  The kernel's own word of it is kept from calls that sleep: one that is cut
 * short and made again goes to the end of its queue, and another gets what it waited for.  So it does while recorded, where
 * the signal may be another thread's by the time that the call is made again. */
void turns_mute(struct task *t)
{
    const struct rex_call *c = call_of(t->nr);
    bool sleeps = t->blocked || t->nr == REX_NR_futex
        || (c && !is_readiness_wait(c) && (c->hook == REX_HOOK_WAIT || (c->policy == REX_STREAM && c->fd_args & 1)));
    if (!sleeps || t->held || !may_be_deaf(t) || ptrace(PTRACE_GETSIGMASK, t->tid, sizeof turn_state(t)->heard, &turn_state(t)->heard)
        || turn_state(t)->heard & CHILD)
        return;
    uint64_t mask = turn_state(t)->heard | CHILD;
    turn_state(t)->muted = !ptrace(PTRACE_SETSIGMASK, t->tid, sizeof mask, &mask);
}

void turns_unmute(struct task *t)
{
    if (turn_state(t)->muted)
        ptrace(PTRACE_SETSIGMASK, t->tid, sizeof turn_state(t)->heard, &turn_state(t)->heard);
    turn_state(t)->muted = false;
}

void turns_rouse(struct task *t, int sig)
{
    if (turn_state(t)->muted && sig == SIGCHLD)
        turn_state(t)->roused = !ptrace(PTRACE_INTERRUPT, t->tid, 0, 0);
}

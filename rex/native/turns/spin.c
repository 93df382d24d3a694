/* One task at a time: threads that wait for others in a loop without system calls.
 *
 * A loop that only waits comes back to the very registers that it had.  That is seen by single
 * steps, and its place is known by those registers: a replay finds it by single steps too. */
#include "base/base.h"
#include "engine/engine.h"
#include "tracee/task.h"
#include "tracee/tracee.h"
#include "turns/internal.h"
#include "turns/turns.h"

#include <sys/resource.h>
#include <sys/wait.h>

/* One instruction; false: the task does something else, which has been seen to. */
static bool step(struct task *t, struct user_regs_struct *now)
{
    int status;
    struct rusage used = {0};
    if (is_syscall_at(t->tid, now->rip))
        return false;
    if (ptrace(PTRACE_SINGLESTEP, t->tid, 0, 0) || wait4(t->tid, &status, __WALL, &used) != t->tid)
        return false;
    if (!WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP || status >> 16) {
        turn_state(t)->place.stepped_out = true;
        take_report(t->tid, status, &used);
        return false;
    }
    *now = regs_get(t);
    return true;
}

static bool same(const struct user_regs_struct *a, const struct user_regs_struct *b)
{
    return !memcmp(a, b, sizeof *a);
}

/* How many instructions its loop has, 0 if it does not come back to where it was. */
unsigned spin_length(struct task *t, unsigned steps)
{
    struct user_regs_struct now = regs_get(t), before = now;
    now.orig_rax = before.orig_rax = (ull)-1;
    for (unsigned i = 0, length = 1, limit = 64; i < steps; i++, length++) {
        if (!step(t, &now))
            return 0;
        if (same(&now, &before))
            return length;
        if (length == limit) {
            before = now;
            limit *= 2;
            length = 0;
        }
    }
    return 0;
}

/* Goes on to where the registers are these. */
bool spin_reach(struct task *t, const struct user_regs_struct *goal, unsigned length)
{
    struct user_regs_struct now = regs_get(t);
    now.orig_rax = goal->orig_rax;
    for (unsigned i = 0; i <= 2 * length; i++) {
        if (same(&now, goal))
            return true;
        if (!step(t, &now))
            return false;
    }
    return false;
}

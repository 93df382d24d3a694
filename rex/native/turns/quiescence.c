/* One task at a time: whether those that a call has woken have come to rest again.
 *
 * To look at a task takes the kernel some microseconds: only those are looked at that the call may have woken. */
#include "base/base.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"
#include "turns/internal.h"
#include "turns/turns.h"

#include <linux/futex.h>

enum { DISK_NS = 50000000 };

/* Who may go on as a call returns, or blocks: those that wait on a futex, those in any other call, or both. */
enum woken { NO_ONE, WAITERS, OTHERS, ANYBODY };

static enum woken woken_by_futex(const struct task *t, int64_t result)
{
    unsigned what = (unsigned)t->args[1] & FUTEX_CMD_MASK;
    if (what == FUTEX_WAIT || what == FUTEX_WAIT_BITSET)
        return NO_ONE;
    bool counts = what == FUTEX_WAKE || what == FUTEX_WAKE_BITSET || what == FUTEX_REQUEUE || what == FUTEX_CMP_REQUEUE;
    return counts && result <= 0 ? NO_ONE : WAITERS;
}

static enum woken woken_natively(const struct task *t, int64_t result)
{
    if (t->nr == REX_NR_futex)
        return woken_by_futex(t, result);
    return op_of(t->nr) == REX_OP_FUTEX_WAKE ? WAITERS : t->nr == REX_NR_flock ? OTHERS : NO_ONE;
}

static bool is_on_plain_file(const struct task *t)
{
    struct stat st;
    return stat_of_fd(t->tid, (int)t->args[0], &st) && S_ISREG(st.st_mode);
}

static enum woken woken_through_descriptor(const struct task *t)
{
    if (call_of(t->nr)->private)
        return NO_ONE;
    switch (op_of(t->nr)) {
    case REX_OP_READ: case REX_OP_PREAD: case REX_OP_WRITE: case REX_OP_PWRITE:
        return is_on_plain_file(t) ? NO_ONE : OTHERS;
    default:
        return OTHERS;
    }
}

static enum woken woken_by(struct task *t)
{
    const struct rex_call *c = call_of(t->nr);
    int64_t result = turn_state(t)->returned ? (int64_t)regs_get(t).rax : 1;
    if (!c)
        return ANYBODY;
    if (c->policy == REX_EMULATE || c->policy == REX_REFUSE || result == -EAGAIN)
        return NO_ONE;
    if (c->policy == REX_NATIVE)
        return woken_natively(t, result);
    switch (c->hook) {
    case REX_HOOK_OPEN:
    case REX_HOOK_POLL:
    case REX_HOOK_SELECT:
    case REX_HOOK_SLEEP:
        return NO_ONE;
    case REX_HOOK_EPOLL_WAIT:             /* what stays ready is passed on to the next that waits for it */
        return result > 0 ? OTHERS : NO_ONE;
    case REX_HOOK_NONE:
        return woken_through_descriptor(t);
    case REX_HOOK_KILL:
    case REX_HOOK_FORK:
    case REX_HOOK_EXEC:
    case REX_HOOK_EXIT:
        return ANYBODY;
    }
    return OTHERS;
}

static bool may_be(const struct task *t, enum woken woken)
{
    bool waits = t->nr == REX_NR_futex || op_of(t->nr) == REX_OP_FUTEX_WAIT;
    return woken == ANYBODY || t->state == CALL_NONE || !t->started || waits == (woken == WAITERS);
}

/* It will not move before somebody else does, or something from outside comes. */
bool is_asleep(struct task *t)
{
    if (t->listening || t->held || t->vforking)
        return true;
    char state = task_state(t);
    return state == 'S' || state == 'Z' || state == 'X' || (state == 'D' && turns_quiet_ns() > DISK_NS);
}

bool is_quiet_after(struct task *t)
{
    enum woken woken = t ? woken_by(t) : ANYBODY;
    for (struct task *other = tasks; woken && other; other = other->next)
        if (other->alive && !other->parked && may_be(other, woken) && (!other->started || !is_asleep(other)))
            return false;
    return true;
}

/* Options of a process that the engine sets for itself, or must not have set: it answers the calls that set and query them.  A query
 * gives what the program set, and the kernel has what the engine needs.
 *
 *   dumpable       else the kernel hides the program's memory from a tracer without privileges
 *   new rights     none, or an ordinary user's filter is refused
 *   counter reads  each is a fault, see cpu/tsc.c */
#include "base/base.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <sys/prctl.h>

static bool is_zero(const uint64_t *args, int from)
{
    for (int i = from; i < 5; i++)
        if (args[i])
            return false;
    return true;
}

static int64_t set_dumpable(struct task *t)
{
    if (t->args[1] > 1)
        return -EINVAL;
    t->space->undumpable = !t->args[1];
    return 0;
}

static int64_t set_no_new_rights(struct task *t)
{
    if (t->args[1] != 1 || !is_zero(t->args, 2))
        return -EINVAL;
    t->no_new_rights = true;
    return 0;
}

static int64_t counter_reads(struct task *t)
{
    int allowed = PR_TSC_ENABLE;
    return mem_write(t->tid, t->args[1], &allowed, sizeof allowed) ? 0 : -EFAULT;
}

bool process_option_answered(struct task *t)
{
    if (op_of(t->nr) != REX_OP_PROCESS_OPTION)
        return false;
    switch ((int)t->args[0]) {
    case PR_GET_DUMPABLE: skip_call(t, !t->space->undumpable); break;
    case PR_SET_DUMPABLE: skip_call(t, set_dumpable(t)); break;
    case PR_GET_NO_NEW_PRIVS: skip_call(t, is_zero(t->args, 1) ? t->no_new_rights : -EINVAL); break;
    case PR_SET_NO_NEW_PRIVS: skip_call(t, set_no_new_rights(t)); break;
    case PR_GET_TSC: skip_call(t, counter_reads(t)); break;
    default: return false;
    }
    return true;
}

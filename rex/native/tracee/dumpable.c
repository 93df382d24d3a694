/* A program that makes itself undumpable hides its memory from a tracer without privileges.  The engine answers these calls
 * instead of the kernel: a query gives the value that the program set, and the engine still reads its memory. */
#include "base/base.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <sys/prctl.h>

bool dumpable_answers(struct task *t)
{
    if (op_of(t->nr) != REX_OP_PROCESS_OPTION || ((int)t->args[0] != PR_SET_DUMPABLE && (int)t->args[0] != PR_GET_DUMPABLE))
        return false;
    if ((int)t->args[0] == PR_GET_DUMPABLE)
        skip_call(t, !t->space->undumpable);
    else if (t->args[1] > 1)
        skip_call(t, -EINVAL);
    else {
        t->space->undumpable = !t->args[1];
        skip_call(t, 0);
    }
    return true;
}

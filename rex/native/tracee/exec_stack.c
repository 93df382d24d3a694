/* The kernel counts the name of the file that it executes among the arguments.  Where Rex executes another file, whose
 * name is longer, the arguments of a program may no longer fit: meanwhile they may take some more of the stack's limit. */
#include "base/base.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <sys/resource.h>

enum { SHARE = 4, NAMES = 4, NO_MATTER = 24 << 20 };     /* arguments have a quarter of the limit; above 24 MiB 6 MiB */

static struct raised { pid_t process; struct rlimit limit; } *raised;
static size_t raised_count;

void exec_stack_raise(const struct task *t)
{
    struct rlimit limit;
    pid_t process = t->leader->tid;
    if (prlimit(process, RLIMIT_STACK, NULL, &limit) || limit.rlim_cur >= NO_MATTER)
        return;
    struct rlimit more = {limit.rlim_cur + SHARE * NAMES * PATH_MAX, limit.rlim_max};
    if (more.rlim_cur > more.rlim_max)
        more.rlim_cur = more.rlim_max;
    if (prlimit(process, RLIMIT_STACK, &more, NULL))
        return;
    raised = grow(raised, raised_count, sizeof *raised);
    raised[raised_count++] = (struct raised){process, limit};
}

/* It has executed, or failed to. */
void exec_stack_restore(const struct task *t)
{
    for (size_t i = 0; i < raised_count; i++)
        if (raised[i].process == t->leader->tid) {
            prlimit(raised[i].process, RLIMIT_STACK, &raised[i].limit, NULL);
            raised[i--] = raised[--raised_count];
        }
}

/* In what order the kernel's reports of stops and ends are taken.
 *
 * wait4 for any tracee reports the first in its list that has a report.  Tracees at the front that stop often, such as one that polls
 * for a child or spins, would always come first, and the others late or never.  So while reports
 * are frequent, the tracees are queried in turn. */
#include "base/base.h"
#include "engine/internal.h"
#include "log/log.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <sys/wait.h>

enum { IN_A_ROW = 4, IN_TURN = 16, AT_ONCE_NS = 3000 };

static pid_t asked;

/* The task after this one, the first after the last. */
static struct task *after(pid_t tid)
{
    struct task *t = task_of(tid);
    return t && t->next ? t->next : tasks;
}

/* 0: none has a report. */
static pid_t next_in_turn(int *status, int options, struct rusage *used)
{
    struct task *first = after(asked), *t = first;
    do {
        asked = t->tid;
        if (t->alive && wait4(asked, status, options | WNOHANG, used) == asked)
            return asked;
        t = t->next ? t->next : tasks;
    } while (t != first);
    return 0;
}

/* As wait4 of any tracee, which is called now and then, as it also finds those that are not known yet. */
pid_t next_report(int *status, int options, struct rusage *used)
{
    static unsigned row;
    pid_t tid = 0;
    if (row >= IN_A_ROW && tasks && tasks->next) {
        row = row < IN_A_ROW + IN_TURN ? row + 1 : 0;
        tid = next_in_turn(status, options, used);
    }
    if (tid)
        return tid;
    ull before = log_now();
    tid = wait4(-1, status, options, used);
    row = tid > 0 && log_now() - before < AT_ONCE_NS ? row + 1 : 0;
    return tid;
}

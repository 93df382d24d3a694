/* In what order the kernel's reports of stops and ends are taken.
 *
 * wait4 of any tracee tells of the first in its list that has something to tell.  One that is stopped again before we ask the next
 * time, as whoever looks for its child again and again on the tracer's processor, would be told of for ever, and the others never. */
#include "engine.h"

#include <sys/wait.h>

enum { IN_A_ROW = 4 };

/* The task after this one, the first after the last. */
static struct task *after(pid_t tid)
{
    struct task *t = task_of(tid);
    return t && t->next ? t->next : tasks;
}

/* As wait4 of any tracee. */
pid_t next_report(int *status, int options, struct rusage *used)
{
    static pid_t told, asked;
    static unsigned row;
    struct task *t = row >= IN_A_ROW ? after(asked) : NULL;
    if (t) {
        asked = t->tid;
        if (t->alive && asked != told && wait4(asked, status, options | WNOHANG, used) == asked)
            return asked;
    }
    pid_t tid = wait4(-1, status, options, used);
    row = tid > 0 && tid == told ? row + 1 : 0;
    return told = tid;
}

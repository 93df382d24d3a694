/* How a stopped tracee goes on: to its next call, or to the next that a filter stops. */
#include "base/base.h"
#include "mode/mode.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

bool wants_all_calls(struct task *t)
{
    return run_mode->all_calls && run_mode->all_calls(t);
}

/* There is a descriptor that no filter knows yet: threads that wait for a lock may have it next. */
static void stop_siblings(const struct task *t)
{
    for (struct task *other = tasks; other; other = other->next)
        if (other->alive && other->runs_freely && other->files == t->files && other != t) {
            other->runs_freely = false;
            task_halt(other);
        }
}

void resume(struct task *t, int sig)
{
    if (scheduler && scheduler->parks(t, sig))
        return;
    bool has_new = t->files->high && !filter_watches(t);
    bool at_entry_stop = t->by_entry_stop && t->state == CALL_ENTERED;      /* its seccomp-stop must be distinguished from another call's */
    bool all = is_serialized() || t->want_exit || t->filter || t->space->code || has_new || at_entry_stop || wants_all_calls(t);
    if (has_new)
        stop_siblings(t);
    t->runs_freely = !all;
    if (!all)
        t->state = CALL_NONE;
    if (run_mode->ready && t->ring && !t->ring_busy && !t->want_exit)
        run_mode->ready(t);
    ptrace(all ? PTRACE_SYSCALL : PTRACE_CONT, t->tid, 0, sig);
}

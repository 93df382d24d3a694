/* Replay: steps of a workflow.  A step is a process with all that it starts.  As it is born,
 * whoever holds the other end of the gate says whether it runs; one that does not exits at
 * once, and for the others all that the log has of it has happened.  What it would have
 * written has been put below the output directory by then.  When the last task of a step has
 * ended, nothing goes on until the gate says so. */
#include "base/base.h"
#include "log/log.h"
#include "replay/index/index.h"
#include "replay/rules/rules.h"
#include "replay/tasks/internal.h"
#include "replay/tasks/tasks.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <fcntl.h>

enum { BORN = 'b', ENDED = 'e', RUN = 'r', SKIP = 's', STOP = 'q' };

static bool *is_step;

void replay_steps_start(void)
{
    is_step = zalloc(task_log_total() + 1);
    for (size_t i = 0; i < plan.steps.count; i++) {
        unsigned long task = strtoul(plan.steps.item[i], NULL, 10);
        if (task < task_log_total())
            is_step[task] = true;
    }
    if (plan.gate >= 0)
        fcntl(plan.gate, F_SETFD, FD_CLOEXEC);
}

bool replay_is_step(const struct task_log *s)
{
    return s->birth && s->index < task_log_total() && is_step[s->index];
}

/* Nine bytes out, one in.  If the answer is to stop, or nobody answers, the engine ends here, and the tracees with it. */
static char ask(char what, uint32_t task, pid_t pid)
{
    unsigned char question[9] = {(unsigned char)what};
    uint32_t who[2] = {task, (uint32_t)pid};
    char answer;
    memcpy(question + 1, who, sizeof who);
    if (!write_whole(plan.gate, question, sizeof question) || !read_whole(plan.gate, &answer, 1))
        die("the process that decides on the steps has ended");
    if (answer == STOP)
        replay_stop(0);
    return answer;
}

/* Back to the instruction that made the child, which now makes it exit. */
static void leave(struct task *t)
{
    struct user_regs_struct r = regs_get(t);
    r.orig_rax = (ull)-1;
    r.rax = REX_NR_exit_group;
    r.rdi = 0;                            /* its parent gets what the log has */
    r.rip -= 2;
    regs_set(t, &r);
}

/* Children are numbered after their parents. */
static void forget(uint32_t task)
{
    bool *is_inside = zalloc(task_log_total());
    is_inside[task] = true;
    for (uint32_t i = task; i < task_log_total(); i++) {
        struct task_log *s = task_log_of(i);
        if (i > task && s->birth && s->birth->args[0] < i)
            is_inside[i] = is_inside[s->birth->args[0]];
        for (size_t k = 0; is_inside[i] && k < s->count; k++)
            replay_done(s->event[k]);
        if (is_inside[i] && s->exit)
            replay_done(s->exit);
    }
    free(is_inside);
}

bool replay_step_skipped(struct task *t)
{
    if (plan.gate < 0 || t->leader != t)
        return false;
    if (ask(BORN, t->task_log->index, t->tid) != SKIP)
        return false;
    forget(t->task_log->index);
    leave(t);
    return true;
}

void replay_step_ended(struct task *t, const struct task_log *step)
{
    if (plan.gate >= 0)
        ask(ENDED, step->index, t->tid);
}

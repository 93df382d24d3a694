/* Record: calls whose result the tracer knows before the tracee returns from them.  They stop once, where others stop
 * at their entry and at their exit. */
#include "base/base.h"
#include "mode/mode.h"
#include "record/internal.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>

/* In a live run a name stands for another file, and with one task at a time each call has its exit-stop. */
static bool needs_exit_stop(void)
{
    return run_mode->names || is_serialized();
}

/* Its descriptor is a plain file. */
static bool queries_plain_file(const struct task *t)
{
    return queries_descriptor(t) && !(lookup_flags(t->nr, t->args) & ~AT_EMPTY_PATH) && (int)t->args[0] >= 0 && !t->stream;
}

static bool queries_own_limit(const struct task *t)
{
    return t->nr == REX_NR_prlimit64 && !t->args[0] && !t->args[2] && t->args[3];
}

/* The tracer makes the query in the tracee's place; false: the kernel is to answer it. */
static bool query(struct task *t)
{
    struct stat st;
    struct rlimit limit;
    if (queries_plain_file(t))
        return stat_of_fd(t->tid, (int)t->args[0], &st) && mem_write(t->tid, t->args[arg_of(t->nr, REX_WORD_STAT)], &st, sizeof st);
    if (!queries_own_limit(t) || prlimit(t->tid, (__rlimit_resource_t)t->args[1], NULL, &limit) || !mem_write(t->tid, t->args[3], &limit, sizeof limit))
        return false;
    own_memory_hide(t, 0);
    return true;
}

/* Some task has another number for itself than for us. */
static bool has_other_numbers;

/* The kernel makes the call, and its result is known. */
static void comes_to(struct task *t, int64_t result)
{
    t->want_exit = false;
    run_mode->exit(t, result);
}

/* At the end of an entry-stop. */
void record_known_result(struct task *t)
{
    if (needs_exit_stop())
        return;
    if (call_of(t->nr)->hook == REX_HOOK_TID && !has_other_numbers)
        comes_to(t, t->tid);
    else if (query(t)) {
        skip_call(t, 0);
        run_mode->exit(t, 0);
    }
}

/* A child is there.  A task that waits until its child executes is in its call until then. */
void record_forked(struct task *t, const struct task *child, uint64_t flags)
{
    has_other_numbers |= flags & CLONE_NEWPID;
    if (!needs_exit_stop() && !t->vforking && t->state == CALL_ENTERED && t->want_exit)
        comes_to(t, child->tid);
}

/* The engine's own memory in a tracee does not count against the program's limit of memory: that is raised by as much. */
#include "base/base.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <sys/resource.h>

static const int counted[] = {RLIMIT_AS, RLIMIT_DATA};

/* Raises one limit of its process by so many bytes, or lowers it; false: the kernel does not allow it. */
static bool shift_one(const struct task *t, int limit, int64_t bytes)
{
    struct rlimit r;
    pid_t process = t->leader->tid;
    if (prlimit(process, (__rlimit_resource_t)limit, NULL, &r) || r.rlim_cur == RLIM_INFINITY)
        return true;
    r.rlim_cur += (rlim_t)bytes;
    if (r.rlim_max < r.rlim_cur)
        r.rlim_max = r.rlim_cur;
    return !prlimit(process, (__rlimit_resource_t)limit, &r, NULL);
}

static bool shift(const struct task *t, int64_t bytes)
{
    return shift_one(t, counted[0], bytes) && shift_one(t, counted[1], bytes);
}

bool own_memory_add(struct task *t, uint64_t size)
{
    if (!shift(t, (int64_t)size))
        return false;
    t->space->own_memory += size;
    return true;
}

/* At an exec, which takes away what was mapped. */
void own_memory_gone(struct task *t)
{
    shift(t, -(int64_t)t->space->own_memory);
}

/* Its hard limit as the plan has it, where the engine needed a higher one. */
static rlim_t shown_hard(const struct task *t, int limit, rlim_t hard)
{
    struct rlimit ours, planned;
    for (size_t i = 0; i < plan.limits.count; i++)
        if (plan_limit(i, &planned) == limit && !getrlimit((__rlimit_resource_t)limit, &ours)
            && (hard == ours.rlim_max || hard == planned.rlim_max + t->space->own_memory))
            return planned.rlim_max;
    return hard;
}

/* At the exit-stop of a call that queries or sets such a limit of its own. */
void own_memory_hide(struct task *t, int64_t result)
{
    struct rlimit r;
    bool is_query = call_of(t->nr)->arg[0].word == REX_WORD_RESOURCE && call_of(t->nr)->arg[1].dir == REX_OUT;
    int limit = (int)t->args[is_query ? 0 : 1];
    uint64_t old = t->args[is_query ? 1 : 3];
    bool is_own = is_query || (t->nr == REX_NR_prlimit64 && (!t->args[0] || (pid_t)t->args[0] == t->leader->tid));
    if (!is_own || result || (limit != counted[0] && limit != counted[1]))
        return;
    if (old && mem_read(t->tid, old, &r, sizeof r)) {
        if (r.rlim_cur != RLIM_INFINITY)
            r.rlim_cur -= t->space->own_memory;
        r.rlim_max = shown_hard(t, limit, r.rlim_max);
        mem_write(t->tid, old, &r, sizeof r);
    }
    if (!is_query && t->args[2])
        shift_one(t, limit, (int64_t)t->space->own_memory);
}

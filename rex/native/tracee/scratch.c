/* Memory of the engine in the tracee: for the arguments of calls that run otherwise than the program called them. */
#include "base/base.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <sys/mman.h>

static void scratch_made(struct task *t, int64_t result)
{
    if (result < 0)
        die("no memory in the tracee: %s", strerror((int)-result));
    t->space->scratch = (uint64_t)result;
}

/* Memory in the tracee for a path: mapped by the call that first needs it, which is then made again. */
bool scratch_ready(struct task *t)
{
    if (t->space->scratch)
        return true;
    const uint64_t args[6] = {SCRATCH_AT, SCRATCH_SIZE, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, (uint64_t)-1, 0};
    own_memory_add(t, SCRATCH_SIZE);
    insert_call(t, REX_NR_mmap, args, scratch_made);
    return false;
}

/* Where bytes for this task were put. */
uint64_t scratch_put(struct task *t, const void *data, size_t n)
{
    uint64_t at = t->space->scratch + (t->index % SCRATCH_SLOTS) * SCRATCH_SLOT;
    mem_write(t->tid, at, data, n);
    return at;
}

/* A larger buffer, for one call of few tasks at a time. */
uint64_t scratch_large(struct task *t)
{
    return t->space->scratch + SCRATCH_SLOTS * SCRATCH_SLOT + (t->index % SCRATCH_LARGE_SLOTS) * LARGE_SLOT;
}

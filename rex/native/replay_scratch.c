/* Memory of the tracee's that is ours: for the arguments of calls that run otherwise than it asked. */
#include "engine.h"

#include <sys/mman.h>

enum { SLOTS = 2048, SLOT = 8192, ROOMS = 4 };
static const uint64_t scratch_hint = 0x2e0000000000;

static void scratch_made(struct task *t, int64_t result)
{
    if (result < 0)
        die("no memory in the tracee: %s", strerror((int)-result));
    t->space->scratch = (uint64_t)result;
}

/* Room in the tracee for a path: made with the call that first needs it, which then comes again. */
bool replay_scratch(struct task *t)
{
    if (t->space->scratch)
        return true;
    const uint64_t args[6] = {scratch_hint, SLOTS * SLOT + (is_live ? ROOMS * LIVE_ROOM : 0), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, (uint64_t)-1, 0};
    insert_call(t, REX_NR_mmap, args, scratch_made);
    return false;
}

/* Where bytes for this task were put. */
uint64_t replay_block_at(struct task *t, const void *data, size_t n)
{
    uint64_t at = t->space->scratch + (t->index % SLOTS) * SLOT;
    mem_write(t->tid, at, data, n);
    return at;
}

/* More room, for one call of few tasks at a time. */
uint64_t live_room(struct task *t)
{
    return t->space->scratch + SLOTS * SLOT + (t->index % ROOMS) * LIVE_ROOM;
}

/* Replay: locks that a task leaves behind as it ends.
 *
 * A lock that is held says by whom: by the thread's number, which the C library takes from its own memory, where
 * the recorded one is.  The kernel hands a robust lock on only if the number is that of the thread that ends. */
#include "base/base.h"
#include "replay/index/index.h"
#include "replay/ipc/ipc.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <linux/futex.h>
#include <sys/syscall.h>

/* The lowest bit marks a lock that lends its holder the priority of those that wait: see replay/ipc/pi_futex.c. */
static void rename_holder(struct task *t, uint64_t place, uint64_t entry, int64_t offset)
{
    uint64_t at = (entry & ~1ull) + (uint64_t)offset, plain = entry & ~1ull;
    uint32_t word;
    if (!entry || !mem_read(t->tid, at, &word, sizeof word) || (word & FUTEX_TID_MASK) != t->task_log->tid)
        return;
    word = (word & ~(uint32_t)FUTEX_TID_MASK) | (uint32_t)t->tid;
    mem_write(t->tid, at, &word, sizeof word);
    mem_write(t->tid, place, &plain, sizeof plain);
}

/* At its last stop, when its memory is still there. */
void replay_leaves_locks(struct task *t)
{
    enum { MOST = 2048 };                 /* as the kernel has it */
    struct { uint64_t next; int64_t offset; uint64_t pending; } head;
    uint64_t list = 0, size = 0, entry;
    if (!t->task_log || !t->task_log->tid || syscall(SYS_get_robust_list, t->tid, &list, &size) || !list || !mem_read(t->tid, list, &head, sizeof head))
        return;
    rename_holder(t, list + 2 * sizeof entry, head.pending, head.offset);
    uint64_t place = list;
    entry = head.next;
    for (int i = 0; i < MOST && (entry & ~1ull) != list; i++) {
        uint64_t next;
        if (!mem_read(t->tid, entry & ~1ull, &next, sizeof next))
            return;
        rename_holder(t, place, entry, head.offset);
        place = entry & ~1ull;
        entry = next;
    }
}

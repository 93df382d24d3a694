/* Where large files are mapped, so that a replay maps them there.
 *
 * Without a given address the kernel takes the highest gap.  Some file systems (ext4, xfs, btrfs) make it align files of
 * two megabytes or more to huge pages, and others (tmpfs, overlays of it) do not; nor do all kernels.  In a replay the
 * file may lie on another file system, and all that is mapped later would lie elsewhere. */
#include "base/base.h"
#include "log/log.h"
#include "record/internal.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "track/track.h"

/* Returns whether the call is one. */
bool record_mapping(struct task *t)
{
    t->want_exit |= maps_large_file(t);
    return maps_large_file(t);
}

bool record_mapped(struct task *t, int64_t result)
{
    struct bytes b = {0};
    if (result < 0 || t->nr != REX_NR_mmap)
        return t->nr == REX_NR_mmap;
    log_begin(&b, EVENT_MAPPED, t->index);
    struct record *r = (struct record *)b.data;
    r->result = result;
    r->args[0] = t->args[1];
    r->args[1] = t->args[5];
    log_end(&b);
    bytes_free(&b);
    return true;
}

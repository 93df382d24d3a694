/* Mappings of large files without a wished address, which record and replay place alike: see record/large_mappings.c. */
#include "base/base.h"
#include "log/log.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "track/track.h"

#include <linux/mman.h>

/* As the filter has it, see emit_mmap(). */
bool maps_large_file(const struct task *t)
{
    return t->nr == REX_NR_mmap && !t->args[0] && t->args[1] >= LARGE_MAPPING && !(t->args[3] & MAPPING_CHOSEN);
}

uint64_t mapping_key(const uint64_t *args)
{
    return (uint64_t)EVENT_MAPPED << 48 ^ args[0] >> 12 ^ args[1] << 12;
}

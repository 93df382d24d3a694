/* Calls that run for real, but whose result depends on rights, flags, the file system or its free space: the log has their result, and a
 * replay gives it back.  All others that run for real have the same result in a replay. */
#include "base/base.h"
#include "log/log.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"
#include "track/track.h"

#include <fcntl.h>
#include <asm/ioctls.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/fscrypt.h>
#include <linux/fsverity.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/statvfs.h>

enum { PRCTL_SCHED_CORE = 62 };

const uint32_t prctl_by_rights[] = {
    PR_CAPBSET_READ, PR_CAPBSET_DROP, PR_GET_SECUREBITS, PR_SET_SECUREBITS, PR_MCE_KILL, PR_MCE_KILL_GET, PR_SET_MM, PR_CAP_AMBIENT,
    PR_GET_SPECULATION_CTRL, PR_SET_SPECULATION_CTRL, PR_GET_TIMERSLACK, PR_SET_IO_FLUSHER, PR_GET_IO_FLUSHER, PRCTL_SCHED_CORE, PR_SET_PTRACER, 0};

/* Of files: size is that of the answer, which the number does not give right for all. */
const struct file_ioctl file_ioctls[] = {
    {FS_IOC_FIEMAP, sizeof(struct fiemap)}, {FS_IOC_GETFLAGS, 4}, {FS_IOC_SETFLAGS, 0}, {FS_IOC_GETVERSION, 4},
    {FS_IOC_FSGETXATTR, sizeof(struct fsxattr)}, {FS_IOC_FSSETXATTR, 0}, {FICLONE, 0}, {FICLONERANGE, 0}, {FIGETBSZ, 4}, {FIBMAP, 4},
    {FIOQSIZE, 8}, {FITRIM, sizeof(struct fstrim_range)}, {FS_IOC_GETFSLABEL, FSLABEL_MAX}, {FS_IOC_SETFSLABEL, 0}, {FS_IOC_SETVERSION, 0},
    {FS_IOC_GET_ENCRYPTION_POLICY, 12}, {FS_IOC_ENABLE_VERITY, 0}, {FS_IOC_MEASURE_VERITY, 4}, {0, 0}};

static const struct file_ioctl *file_ioctl(uint64_t command)
{
    for (const struct file_ioctl *i = file_ioctls; i->command; i++)
        if (i->command == (uint32_t)command)
            return i;
    return NULL;
}

static bool is_by_rights(uint64_t option)
{
    for (const uint32_t *p = prctl_by_rights; *p; p++)
        if (*p == (uint32_t)option)
            return true;
    return false;
}

/* ftruncate. */
bool sets_length(const struct rex_call *c)
{
    return c->nargs == 2 && c->arg[0].word == REX_WORD_FD && c->arg[1].word == REX_WORD_OFF;
}

int bounded_descriptor(const struct task *t)
{
    int op = op_of(t->nr);
    if (op == REX_OP_READ || op == REX_OP_PREAD || op == REX_OP_WRITE || op == REX_OP_PWRITE || t->nr == REX_NR_sendfile)
        return (int)t->args[0];
    if (t->nr == REX_NR_copy_file_range || t->nr == REX_NR_splice)
        return (int)t->args[2];
    return -1;
}

/* Direct reads and writes want alignment; a file system with little free space may become full. */
bool is_bounded_file(const char *path, int flags)
{
    enum { LITTLE = 1 << 30 };
    struct statvfs room;
    bool writes = (flags & O_ACCMODE) != O_RDONLY;
    return flags & O_DIRECT || (writes && !statvfs(path, &room) && room.f_bavail * room.f_frsize < LITTLE);
}

bool maps_external(const struct task *t)
{
    return t->nr == REX_NR_mmap && !(t->args[3] & MAP_ANONYMOUS) && files_stream(t->files, (int)t->args[4]);
}

bool has_logged_result(const struct task *t)
{
    if (log_is_plain)
        return false;
    const struct rex_call *c = call_of(t->nr);
    if (!c || c->op == REX_OP_LOCK_MEMORY)
        return c;
    if (c->op == REX_OP_PROCESS_OPTION)
        return is_by_rights(t->args[0]);
    if (t->nr == REX_NR_mmap)
        return t->args[3] & MAPPING_RIGHTS || maps_external(t);
    if (t->stream)
        return false;
    if (c->arg[2].word == REX_WORD_WHENCE)
        return (uint32_t)t->args[2] >= SEEK_DATA;
    if (c->arg[1].word == REX_WORD_FALLOCMODE || sets_length(c) || t->nr == REX_NR_setsockopt)
        return true;
    if (t->nr == REX_NR_getsockopt)
        return t->args[1] == SOL_SOCKET && (t->args[2] == SO_RCVBUF || t->args[2] == SO_SNDBUF || t->args[2] == SO_MARK || t->args[2] == SO_PRIORITY);
    if (t->nr == REX_NR_fcntl)
        return (uint32_t)t->args[1] == F_SETLEASE || (uint32_t)t->args[1] == F_NOTIFY;
    if (t->nr == REX_NR_ioctl)
        return file_ioctl(t->args[1]);
    return bounded_descriptor(t) >= 0 && files_mark(t->files, bounded_descriptor(t)) == (uint32_t)BOUNDED_FILE;
}

/* What tells calls of one number apart. */
static uint32_t told_apart_by(const uint64_t *args)
{
    switch (args[0]) {
    case REX_NR_mmap: return (uint32_t)(args[2] >> 12);
    case REX_NR_ioctl: case REX_NR_fcntl: return (uint32_t)args[2];
    case REX_NR_setsockopt: case REX_NR_getsockopt: return (uint32_t)(args[1] << 20 ^ args[2] << 12 ^ args[3]);
    }
    return (uint32_t)args[1];
}

uint64_t result_key(const uint64_t *args)
{
    return (uint64_t)EVENT_RESULT << 48 ^ args[0] << 32 ^ told_apart_by(args);
}

size_t file_ioctl_answer(const struct task *t)
{
    const struct file_ioctl *i = t->nr == REX_NR_ioctl ? file_ioctl(t->args[1]) : NULL;
    struct fiemap map;
    if (!i || i->command != FS_IOC_FIEMAP || !mem_read(t->tid, t->args[2], &map, sizeof map) || !map.fm_extent_count)
        return i ? i->size : 0;
    return sizeof map + (map.fm_mapped_extents < map.fm_extent_count ? map.fm_mapped_extents : map.fm_extent_count) * sizeof(struct fiemap_extent);
}

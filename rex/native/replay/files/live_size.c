/* Replay: the sizes of files that threads write.
 *
 * Which thread writes what, and to which file, depends on locks that no stop shows.  So the log's size of a file need not be the size of
 * the file now, which the program then reads, or maps. While another process may write to it, it grows as that process
 * writes: then the log has how far it was. */
#include "base/base.h"
#include "replay/files/files.h"
#include "replay/files/internal.h"
#include "replay/index/index.h"
#include "replay/order/order.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <fcntl.h>
#include <stddef.h>

/* Where the answer has the size; 0: it has none. */
static uint64_t size_at(const struct task *t)
{
    int plain = arg_of(t->nr, REX_WORD_STAT), extended = arg_of(t->nr, REX_WORD_STATX);
    return plain >= 0 ? t->args[plain] + offsetof(struct stat, st_size) : extended >= 0 ? t->args[extended] + offsetof(struct statx, stx_size) : 0;
}

static bool may_write(struct task *t, const struct stat *file)
{
    struct stat st;
    for (int fd = 0; fd < t->files->opened_count; fd++) {
        const struct opened *o = files_opened(t->files, fd);
        if (o && o->event && (flags_in(o->event->record) & O_ACCMODE) != O_RDONLY && stat_of_fd(t->tid, fd, &st)
            && st.st_ino == file->st_ino && st.st_dev == file->st_dev)
            return true;
    }
    return false;
}

static bool is_being_written(const struct task *t, bool by_fd, const struct stat *file)
{
    for (struct task *other = tasks; other; other = other->next)
        if (other->alive && other == other->leader && !(by_fd && other == t->leader) && may_write(other, file))
            return true;
    return false;
}

/* The file that the call queries, if threads wrote it. */
static char *divided_file(struct task *t, bool by_fd)
{
    char *real = by_fd ? path_of_fd(t->tid, (int)t->args[0]) : NULL, *path = by_fd ? NULL : replay_opened_name(t);
    const char *name = real ? overlay_name(real) : path;
    char *file = replay_is_divided(name) ? real ? strdup(real) : overlay_made(name) : NULL;
    free(real);
    free(path);
    return file;
}

void replay_size_now(struct task *t)
{
    uint64_t at = replay_divides() ? size_at(t) : 0, given;
    bool by_fd = name_args(t->nr).path < 0 || !t->path || !*t->path;
    char *file = at ? divided_file(t, by_fd) : NULL;
    struct stat now;
    if (file && !lstat(file, &now) && S_ISREG(now.st_mode) && mem_read(t->tid, at, &given, sizeof given) && given != (uint64_t)now.st_size
        && !is_being_written(t, by_fd, &now)) {
        given = (uint64_t)now.st_size;
        mem_write(t->tid, at, &given, sizeof given);
    }
    free(file);
}

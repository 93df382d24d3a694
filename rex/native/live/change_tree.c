/* Live: calls that change the file tree.  The tracer makes the change itself, in the upper
 * layer, as the same user; the tracee gets the result. */
#include "base/base.h"
#include "live/internal.h"
#include "live/live.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <fcntl.h>
#include <sys/xattr.h>

static int make(struct task *t, const struct place *p, uint64_t mode)
{
    if (p->layer != NOWHERE)
        return -EEXIST;
    bool is_directory = op_of(t->nr) == REX_OP_MKDIR;
    mode_t wanted = masked(t, mode);
    if (!is_directory && (S_ISCHR(wanted) || S_ISBLK(wanted)))
        return -EPERM;
    int failed = view_make_parents(p->path);
    char *above = view_upper(p->path);
    if (!failed && (is_directory ? mkdir(above, 0700) : mknod(above, (wanted & S_IFMT) | 0600, 0)))
        failed = -errno;
    if (!failed)
        chmod(above, wanted & 07777);
    if (!failed && is_directory) {
        view_upper_made(p->path);
        if (view_is_lower(p->path))
            view_remove(p->path);
    }
    free(above);
    return failed;
}

static int make_link(struct task *t, const struct place *p)
{
    char *target = mem_string(t->tid, t->args[0], PATH_MAX), *above = view_upper(p->path);
    int failed = !target ? -EFAULT : !*target ? -ENOENT : p->layer != NOWHERE ? -EEXIST : view_make_parents(p->path);
    if (!failed && symlink(target, above))
        failed = -errno;
    free(target);
    free(above);
    return failed;
}

/* ------------------------------------------------------------------ two names */

static int second(struct task *t, struct place *to)
{
    struct name_args n = name_args(t->nr);
    int dirfd = n.dirfd2 >= 0 ? (int)t->args[n.dirfd2] : AT_FDCWD;
    return live_find_at(t, dirfd, t->path2, t->args[n.path2], false, to);
}

static int move(struct task *t)
{
    struct place from, to;
    int failed = live_find_there(t, false, &from);
    if (!failed)
        failed = second(t, &to);
    return failed ? failed : view_rename(t, &from, &to, rename_flags(t->nr, t->args));
}

/* Of a file in OUTDIR only: a name there of any other would let the run write it. */
static int link_nameless(struct task *t, const char *file, const struct place *to)
{
    static struct place nothing;
    char target[PATH_MAX];
    ssize_t n = readlink(file, target, sizeof target - 1);
    if (n < 0)
        return -errno;
    target[n] = 0;
    return view_is_upper(target) ? view_hard_link(t, &nothing, file, to) : -EXDEV;
}

static int hard_link(struct task *t)
{
    struct place from, to;
    int flags = lookup_flags(t->nr, t->args), failed = second(t, &to);
    if (failed)
        return failed;
    if (flags & AT_EMPTY_PATH && t->path && !*t->path) {
        char *file = text("/proc/%d/fd/%d", t->tid, (int)t->args[0]);
        failed = link_nameless(t, file, &to);
        free(file);
        return failed;
    }
    failed = live_find_there(t, flags & AT_SYMLINK_FOLLOW, &from);
    return failed ? failed : from.is_magic ? link_nameless(t, from.path, &to) : view_hard_link(t, &from, NULL, &to);
}

/* ------------------------------------------------------------------ attributes of one file */

static int set_times(struct task *t, const char *file)
{
    struct timespec times[2];
    if (!times_to_set(t, times))
        return -EFAULT;
    return utimensat(AT_FDCWD, file, times, strncmp(file, "/proc/", 6) ? AT_SYMLINK_NOFOLLOW : 0) ? -errno : 0;
}

static int set_attribute(struct task *t, const char *file)
{
    char *name = mem_string(t->tid, t->args[1], 256);
    bool removes = op_of(t->nr) == REX_OP_REMOVEXATTR;
    bool by_fd = !strncmp(file, "/proc/", 6);
    struct bytes value = {0};
    size_t n = removes ? 0 : (size_t)t->args[3];
    int failed = 0;
    if (!name || n > 65536 || !mem_read(t->tid, t->args[2], bytes_reserve(&value, n + 1), n))
        failed = name && n > 65536 ? -E2BIG : -EFAULT;
    else if (removes)
        failed = (by_fd ? removexattr(file, name) : lremovexattr(file, name)) ? -errno : 0;
    else
        failed = (by_fd ? setxattr(file, name, value.data, n, (int)t->args[4])
                  : lsetxattr(file, name, value.data, n, (int)t->args[4])) ? -errno : 0;
    bytes_free(&value);
    free(name);
    return failed;
}

/* file: in the upper layer, or a descriptor of such a file by its name in /proc. */
static int set(struct task *t, const char *file)
{
    bool by_at = name_args(t->nr).dirfd >= 0, by_fd = !strncmp(file, "/proc/", 6);
    switch (op_of(t->nr)) {
    case REX_OP_CHMOD:
        return chmod(file, (mode_t)t->args[1 + by_at] & 07777) ? -errno : 0;
    case REX_OP_CHOWN:
        return fchownat(AT_FDCWD, file, (uid_t)t->args[1 + by_at], (gid_t)t->args[2 + by_at],
                        by_fd ? 0 : AT_SYMLINK_NOFOLLOW) ? -errno : 0;
    case REX_OP_TRUNCATE:
        return truncate(file, (off_t)t->args[1]) ? -errno : 0;
    case REX_OP_UTIME:
        return set_times(t, file);
    case REX_OP_SETXATTR: case REX_OP_REMOVEXATTR:
        return set_attribute(t, file);
    default:                              /* a call newer than this file */
        return -ENOSYS;
    }
}

static int set_place(struct task *t, const struct place *p)
{
    if (view_is_kernel(p->path) || (p->layer == LIVE && !S_ISREG(p->st.st_mode) && !S_ISDIR(p->st.st_mode)
                                    && !S_ISLNK(p->st.st_mode)))
        return -EPERM;
    if (op_of(t->nr) == REX_OP_TRUNCATE && S_ISDIR(p->st.st_mode))
        return -EISDIR;
    int failed = view_copy_up(t, p, false);
    if (failed)
        return failed;
    char *file = view_upper(p->path);
    failed = set(t, file);
    free(file);
    return failed;
}

/* What has no path (pipes, files without a name) is the kernel's business. */
static bool set_descriptor(struct task *t, int fd, int *result)
{
    struct place p = {0};
    char *link = link_of_fd(t->tid, fd), *path = link && *link == '/' ? view_logical(link) : NULL;
    bool mine = path && strncmp(link, "/memfd:", 7);
    if (mine && view_is_upper(link)) {
        char *file = fd == AT_FDCWD ? strdup(link) : text("/proc/%d/fd/%d", t->tid, fd);
        *result = set(t, file);
        free(file);
    } else if (mine && strlen(path) < sizeof p.path) {
        strcpy(p.path, path);
        *result = view_look(path, &p) || p.layer == NOWHERE ? -EPERM : set_place(t, &p);
    }
    free(path);
    free(link);
    return mine;
}

static void set_call(struct task *t)
{
    struct name_args n = name_args(t->nr);
    struct place p;
    int result = 0, flags = lookup_flags(t->nr, t->args);
    bool by_fd = n.path < 0 || (n.dirfd >= 0 && !t->args[n.path])
        || (n.dirfd >= 0 && t->path && !*t->path && flags & AT_EMPTY_PATH);
    if (by_fd) {
        if (set_descriptor(t, (int)t->args[0], &result))
            live_answer(t, result);
        return;
    }
    result = live_find_there(t, follows_last(t->nr, t->args), &p);
    if (!result && p.is_magic)
        result = -EPERM;
    live_answer(t, result ? result : set_place(t, &p));
}

/* ------------------------------------------------------------------ by number */

static int new_name(struct task *t)
{
    struct place p;
    int by_at = name_args(t->nr).dirfd >= 0, failed = live_find(t, false, &p);
    if (failed)
        return failed;
    if (op_of(t->nr) == REX_OP_SYMLINK)
        return make_link(t, &p);
    return make(t, &p, t->args[1 + by_at]);
}

static int old_name(struct task *t)
{
    struct place p;
    int failed = live_find_there(t, false, &p);
    if (failed)
        return failed;
    if (view_is_kernel(p.path))
        return -EPERM;
    int flags = arg_of(t->nr, REX_WORD_RMFLAGS);
    bool is_directory = op_of(t->nr) == REX_OP_RMDIR || (flags >= 0 && t->args[flags] & AT_REMOVEDIR);
    return is_directory ? view_rmdir(&p) : view_unlink(&p);
}

void live_tree(struct task *t)
{
    switch (op_of(t->nr)) {
    case REX_OP_MKDIR: case REX_OP_MKNOD: case REX_OP_SYMLINK:
        live_answer(t, new_name(t));
        break;
    case REX_OP_UNLINK: case REX_OP_RMDIR:
        live_answer(t, old_name(t));
        break;
    case REX_OP_RENAME:
        live_answer(t, move(t));
        break;
    case REX_OP_LINK:
        live_answer(t, hard_link(t));
        break;
    default:
        set_call(t);
    }
}

/* Live: queries of names are answered from the view, without the kernel. */
#include "base/base.h"
#include "live/internal.h"
#include "live/live.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>

/* The place of a call's path; 0 or -errno. */
int live_find(struct task *t, bool follow, struct place *p)
{
    struct name_args n = name_args(t->nr);
    return live_find_at(t, n.dirfd >= 0 ? (int)t->args[n.dirfd] : AT_FDCWD, t->path, t->args[n.path], follow, p);
}

/* path: as read from the address at, NULL if it could not be. */
int live_find_at(struct task *t, int dirfd, const char *path, uint64_t at, bool follow, struct place *p)
{
    char c;
    if (!path)
        return mem_read(t->tid, at, &c, 1) ? -ENAMETOOLONG : -EFAULT;
    int failed = view_find(t, dirfd, path, follow, p);
    return failed ? failed : live_refusal(t, p);
}

/* The same where something must be there. */
int live_find_there(struct task *t, bool follow, struct place *p)
{
    int failed = live_find(t, follow, p);
    return failed ? failed : p->layer == NOWHERE ? -ENOENT : 0;
}

/* A call with an empty path and AT_EMPTY_PATH means its descriptor. */
static bool means_descriptor(struct task *t)
{
    struct name_args n = name_args(t->nr);
    return lookup_flags(t->nr, t->args) & AT_EMPTY_PATH && (!t->args[n.path] || (t->path && !*t->path));
}

/* ------------------------------------------------------------------ stat */

/* The stat of a descriptor, where the kernel's answer would describe another file. */
bool live_stat_fd(struct task *t, int fd, struct stat *st)
{
    struct place p;
    char *link = link_of_fd(t->tid, fd), *path = link && *link == '/' ? view_logical(link) : NULL;
    bool differs = false;
    if (!path)
        ;
    else if (!view_look(path, &p) && p.layer != NOWHERE && S_ISDIR(p.st.st_mode)) {
        *st = p.st;
        differs = true;
    } else if (!view_is_upper(link) && strcmp(link, path))
        differs = view_mapped_stat(path, st);
    free(link);
    free(path);
    return differs;
}

static void to_statx(const struct stat *st, struct statx *x)
{
    memset(x, 0, sizeof *x);
    x->stx_mask = STATX_BASIC_STATS;
    x->stx_blksize = (uint32_t)st->st_blksize;
    x->stx_nlink = (uint32_t)st->st_nlink;
    x->stx_uid = st->st_uid;
    x->stx_gid = st->st_gid;
    x->stx_mode = (uint16_t)st->st_mode;
    x->stx_ino = st->st_ino;
    x->stx_size = (uint64_t)st->st_size;
    x->stx_blocks = (uint64_t)st->st_blocks;
    x->stx_atime.tv_sec = st->st_atim.tv_sec;
    x->stx_atime.tv_nsec = (uint32_t)st->st_atim.tv_nsec;
    x->stx_ctime.tv_sec = st->st_ctim.tv_sec;
    x->stx_ctime.tv_nsec = (uint32_t)st->st_ctim.tv_nsec;
    x->stx_mtime.tv_sec = st->st_mtim.tv_sec;
    x->stx_mtime.tv_nsec = (uint32_t)st->st_mtim.tv_nsec;
    x->stx_rdev_major = major(st->st_rdev);
    x->stx_rdev_minor = minor(st->st_rdev);
    x->stx_dev_major = major(st->st_dev);
    x->stx_dev_minor = minor(st->st_dev);
}

static void answer_stat(struct task *t, const struct stat *st, uint64_t at)
{
    struct statx x;
    bool done;
    if (arg_of(t->nr, REX_WORD_STATX) >= 0) {
        to_statx(st, &x);
        done = mem_write(t->tid, at, &x, sizeof x);
    } else
        done = mem_write(t->tid, at, st, sizeof *st);
    live_answer(t, done ? 0 : -EFAULT);
}

void live_stat(struct task *t)
{
    int plain = arg_of(t->nr, REX_WORD_STAT);
    uint64_t at = t->args[plain >= 0 ? plain : arg_of(t->nr, REX_WORD_STATX)];
    struct place p;
    struct stat st;
    if (t->nr == REX_NR_fstat || means_descriptor(t)) {
        if (live_stat_fd(t, (int)t->args[0], &st))
            answer_stat(t, &st, at);
        return;                           /* else the kernel's is right */
    }
    int failed = live_find_there(t, follows_last(t->nr, t->args), &p);
    if (failed)
        live_answer(t, failed);
    else
        answer_stat(t, &p.st, at);
}

/* ------------------------------------------------------------------ other questions */

static int may_access(const struct place *p, int wanted, int flags)
{
    mode_t mode = p->st.st_mode;
    if (p->layer != MAPPED) {
        char *file = view_physical(p);
        int failed = faccessat(AT_FDCWD, file, wanted, flags & (AT_EACCESS | AT_SYMLINK_NOFOLLOW)) ? -errno : 0;
        free(file);
        return failed;
    }
    if (geteuid() == 0)
        mode = mode & 0111 || S_ISDIR(mode) ? 7 : 6;
    else
        mode = mode >> 6 & 7;
    return (mode & (mode_t)wanted) == (mode_t)wanted ? 0 : -EACCES;
}

void live_access(struct task *t)
{
    struct place p;
    int wanted = (int)t->args[arg_of(t->nr, REX_WORD_ACCESS)];
    if (means_descriptor(t))
        return;
    int failed = wanted & ~7 ? -EINVAL : live_find_there(t, follows_last(t->nr, t->args), &p);
    live_answer(t, failed ? failed : may_access(&p, wanted, lookup_flags(t->nr, t->args)));
}

void live_readlink(struct task *t)
{
    struct place p;
    bool by_at = name_args(t->nr).dirfd >= 0;
    uint64_t at = t->args[1 + by_at], size = t->args[2 + by_at];
    if (by_at && t->path && !*t->path)
        return;
    int64_t failed = live_find_there(t, false, &p);
    if (!failed && (!S_ISLNK(p.st.st_mode) || !size))
        failed = -EINVAL;
    char *target = failed ? NULL : view_target(t, &p);
    if (target) {
        size_t n = strlen(target) < size ? strlen(target) : (size_t)size;
        failed = mem_write(t->tid, at, target, n) ? (int64_t)n : -EFAULT;
    } else if (!failed)
        failed = -EACCES;
    free(target);
    live_answer(t, failed);
}

void live_getcwd(struct task *t)
{
    char *cwd = path_of_fd(t->tid, AT_FDCWD);
    struct place p;
    int64_t result = -ENOENT;
    if (cwd && !view_look(cwd, &p) && p.layer != NOWHERE) {
        size_t n = strlen(cwd) + 1;
        result = n > t->args[1] ? -ERANGE : mem_write(t->tid, t->args[0], cwd, n) ? (int64_t)n : -EFAULT;
    }
    free(cwd);
    live_answer(t, result);
}

void live_statfs(struct task *t)
{
    struct place p;
    struct statfs fs;
    int failed = live_find_there(t, true, &p);
    if (!failed) {
        char *file = view_physical(&p);
        failed = statfs(file, &fs) ? -errno : mem_write(t->tid, t->args[1], &fs, sizeof fs) ? 0 : -EFAULT;
        free(file);
    }
    live_answer(t, failed);
}

void live_get_attributes(struct task *t)
{
    struct place p;
    bool lists = op_of(t->nr) == REX_OP_LISTXATTR;
    uint64_t at = t->args[lists ? 1 : 2], size = t->args[lists ? 2 : 3];
    static char value[65536];
    int64_t result = live_find_there(t, follows_last(t->nr, t->args), &p);
    if (!result && p.layer == MAPPED)     /* archives keep none */
        result = lists ? 0 : -ENODATA;
    else if (!result) {
        char *file = view_physical(&p), *name = lists ? NULL : mem_string(t->tid, t->args[1], 256);
        size_t n = size < sizeof value ? (size_t)size : sizeof value;
        result = lists ? llistxattr(file, value, n) : name ? lgetxattr(file, name, value, n) : -1;
        if (result < 0)
            result = lists || name ? -errno : -EFAULT;
        else if (n && !mem_write(t->tid, at, value, (size_t)result))
            result = -EFAULT;
        free(file);
        free(name);
    }
    live_answer(t, result);
}

/* ------------------------------------------------------------------ directories */

/* Adds one entry in the form of getdents64, or the older one; false if there is no room. */
static bool add_entry(struct task *t, struct bytes *b, const char *name, const struct stat *st, long long next)
{
    bool is_old = arg_of(t->nr, REX_WORD_DIRENT) >= 0;
    size_t head = is_old ? 18 : 19, n = strlen(name) + 1, size = (head + n + is_old + 7) & ~(size_t)7;
    uint64_t fields[2] = {st->st_ino, (uint64_t)next};
    uint16_t length = (uint16_t)size;
    unsigned char type = IFTODT(st->st_mode), *to;
    if (b->used + size > t->args[2])
        return false;
    to = bytes_reserve(b, size);
    memset(to, 0, size);
    memcpy(to, fields, sizeof fields);
    memcpy(to + 16, &length, sizeof length);
    memcpy(to + head, name, n);
    to[is_old ? size - 1 : 18] = type;
    b->used += size;
    return true;
}

/* Position 0 is ".", 1 is "..", others are places in the directory's list of names. */
static long long list_from(struct task *t, const struct place *p, long long at, struct bytes *b)
{
    const struct strings *names = view_names(p, at == 0);
    for (; at < (long long)names->count + 2; at++) {
        struct place inner;
        char *path = at == 0 ? strdup(p->path) : at == 1 ? view_parent(p->path) : view_join(p->path, names->item[at - 2]);
        bool is_there = !view_look(path, &inner) && inner.layer != NOWHERE;
        free(path);
        if (is_there && at > 1 && inner.layer == LIVE)
            live_use(LIVE_DIRECTORY, p->path);
        if (is_there && !add_entry(t, b, at == 0 ? "." : at == 1 ? ".." : names->item[at - 2], &inner.st, at + 1))
            break;
    }
    return at;
}

/* The position is the kernel's own, so that it is shared as descriptors are: the call becomes an lseek. */
void live_getdents(struct task *t)
{
    struct place p = {0};
    struct bytes b = {0};
    char *path = path_of_fd(t->tid, (int)t->args[0]);
    bool mine = path && *path == '/' && !view_is_kernel(path) && !view_look(path, &p) && p.layer != NOWHERE
        && S_ISDIR(p.st.st_mode);
    if (!mine) {
        free(path);
        return;
    }
    strcpy(p.path, path);
    long long at = (long long)position_of_fd(t->tid, (int)t->args[0], (uint64_t)-1), next = at < 0 ? at : list_from(t, &p, at, &b);
    if (at < 0)
        live_answer(t, -EBADF);
    else if (!b.used && next == at && view_names(&p, false)->count + 2 > (size_t)at)
        live_answer(t, -EINVAL);
    else if (!mem_write(t->tid, t->args[1], b.data, b.used))
        live_answer(t, -EFAULT);
    else {
        live_rewrite(t, REX_NR_lseek, t->args[0], (uint64_t)next, SEEK_SET, 0);
        live_state(t)->live_result = (int64_t)b.used;
        live_state(t)->has_live_result = true;
    }
    bytes_free(&b);
    free(path);
}

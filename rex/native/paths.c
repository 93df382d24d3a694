/* What a path means to a tracee: from its working directory or descriptor, through links. */
#include "engine.h"

#include <fcntl.h>
#include <linux/openat2.h>

/* The path of an open descriptor, or of the working directory for AT_FDCWD. */
char *path_of_fd(pid_t tid, int fd)
{
    char *link = link_of_fd(tid, fd);
    if (!is_live || !link || *link != '/')
        return link;
    char *path = view_logical(link);
    free(link);
    return path;
}

char *link_of_fd(pid_t tid, int fd)
{
    char name[40], target[PATH_MAX];
    if (fd == AT_FDCWD)
        snprintf(name, sizeof name, "/proc/%d/cwd", tid);
    else
        snprintf(name, sizeof name, "/proc/%d/fd/%d", tid, fd);
    ssize_t n = readlink(name, target, sizeof target - 1);
    return n < 0 ? NULL : strndup(target, (size_t)n);
}

/* Of its name as it was opened, though it has none by now; 0: it has gone. */
uint64_t file_of_fd(pid_t tid, int fd)
{
    static const char gone[] = " (deleted)";
    char *path = path_of_fd(tid, fd);
    size_t n = path ? strlen(path) : 0, tail = sizeof gone - 1;
    if (n > tail && !strcmp(path + n - tail, gone))
        n -= tail;
    uint64_t file = path ? hash_bytes(path, n, 0) : 0;
    free(path);
    return file;
}

bool stat_of_fd(pid_t tid, int fd, struct stat *st)
{
    char name[40];
    snprintf(name, sizeof name, "/proc/%d/fd/%d", tid, fd);
    return !stat(name, st);
}

DIR *fds_of(pid_t tid)
{
    char name[40];
    snprintf(name, sizeof name, "/proc/%d/fd", tid);
    return opendir(name);
}

int next_fd(DIR *fds)
{
    struct dirent *e = NULL;
    while (fds && (e = readdir(fds)) && *e->d_name == '.')
        ;
    int fd = e ? atoi(e->d_name) : -1;
    if (fds && !e)
        closedir(fds);
    return fd;
}

/* /proc/self is the tracee's, not ours. */
static char *absolute(struct task *t, int dirfd, const char *path)
{
    if (!strncmp(path, "/proc/self/", 11))
        return text("/proc/%d/%s", t->leader->tid, path + 11);
    if (!strncmp(path, "/proc/thread-self/", 18))
        return text("/proc/%d/task/%d/%s", t->leader->tid, t->tid, path + 18);
    if (*path == '/')
        return strdup(path);
    char *base = path_of_fd(t->tid, dirfd);
    char *full = base ? text("%s/%s", base, path) : NULL;
    free(base);
    return full;
}

/* As realpath(), by one look-up; NULL also for what has no place. */
char *path_real(const char *path)
{
    int fd = open(path, O_PATH | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    char *name = link_of_fd(getpid(), fd);
    close(fd);
    if (!name || *name == '/')
        return name;
    free(name);
    return NULL;
}

static bool is_dots(const char *name)
{
    return !*name || !strcmp(name, ".") || !strcmp(name, "..");
}

/* Absolute and without links; the last component may be missing, and is itself
 * followed only if asked.  NULL if there is no such directory. */
char *path_resolve(struct task *t, int dirfd, const char *path, bool follow)
{
    if (is_live && *path) {
        struct place p;
        return view_find(t, dirfd, path, follow, &p) ? NULL : strdup(p.path);
    }
    char *full = *path ? absolute(t, dirfd, path) : path_of_fd(t->tid, dirfd);
    if (!full)
        return NULL;
    size_t n = strlen(full);
    while (n > 1 && full[n - 1] == '/')
        full[--n] = 0;
    char *slash = strrchr(full, '/'), *name = slash ? slash + 1 : full, *result;
    if (!slash)                       /* a pipe or socket has no place */
        return full;
    if (follow || is_dots(name)) {
        result = path_real(full);
        if (result || is_dots(name)) {
            free(full);
            return result;
        }
    }
    *slash = 0;
    char *parent = path_real(slash == full ? "/" : full);
    result = parent ? text("%s/%s", strcmp(parent, "/") ? parent : "", name) : NULL;
    free(parent);
    free(full);
    return result;
}

int path_stat(const char *path, struct stat *st, bool follow)
{
    struct place p;
    if (!is_live)
        return follow ? stat(path, st) : lstat(path, st);
    if (view_look(path, &p) || p.layer == NOWHERE)
        return -1;
    *st = p.st;
    return 0;
}

mode_t open_mode(struct task *t)
{
    struct open_how how = {0};
    switch (t->nr) {
    case REX_NR_open:
        return (mode_t)t->args[2];
    case REX_NR_creat:
        return (mode_t)t->args[1];
    case REX_NR_openat2:
        mem_read(t->tid, t->args[2], &how, sizeof how);
        return (mode_t)how.mode;
    }
    return (mode_t)t->args[3];
}

/* flags2: those of openat2, which lie in memory. */
static int flags_of(long nr, const uint64_t *args, int flags2)
{
    switch (nr) {
    case REX_NR_open:
        return (int)args[1];
    case REX_NR_creat:
        return O_CREAT | O_WRONLY | O_TRUNC;
    case REX_NR_openat2:
        return flags2;
    }
    return (int)args[2];
}

int open_flags(struct task *t)
{
    struct open_how how = {0};
    if (t->nr == REX_NR_openat2)
        mem_read(t->tid, t->args[2], &how, sizeof how.flags);
    return flags_of(t->nr, t->args, (int)how.flags);
}

/* The same of a call in the log, which does not have the flags of openat2: whatever those may be. */
int flags_in(const struct record *r)
{
    return flags_of(r->call, r->args, O_CREAT | O_RDWR);
}

static bool follows(struct task *t)
{
    switch (t->nr) {
    case REX_NR_chmod: case REX_NR_fchmodat: case REX_NR_truncate: case REX_NR_utime: case REX_NR_utimes:
    case REX_NR_futimesat: case REX_NR_chown: case REX_NR_setxattr: case REX_NR_removexattr: case REX_NR_chdir:
        return true;
    case REX_NR_utimensat: case REX_NR_fchmodat2:
        return !(t->args[3] & AT_SYMLINK_NOFOLLOW);
    case REX_NR_fchownat:
        return !(t->args[4] & AT_SYMLINK_NOFOLLOW);
    }
    return false;
}

/* Where a call's paths are among its arguments, -1 where it has none. */
struct name_args name_args(long nr)
{
    const struct rex_call *c = call_of(nr);
    struct name_args n = {-1, -1, -1, -1};
    int dirfd = -1;
    for (int i = 0; c && i < c->nargs; i++) {
        if (c->arg[i].word == REX_WORD_DIRFD)
            dirfd = i;
        else if (c->arg[i].word == REX_WORD_PATH && n.path < 0) {
            n.path = i;
            n.dirfd = dirfd;
            dirfd = -1;
        } else if (c->arg[i].word == REX_WORD_PATH) {
            n.path2 = i;
            n.dirfd2 = dirfd;
        }
    }
    return n;
}

void read_names(struct task *t)
{
    struct name_args n = name_args(t->nr);
    free(t->path);
    free(t->path2);
    t->path = n.path >= 0 ? mem_string(t->tid, t->args[n.path], PATH_MAX) : NULL;
    t->path2 = n.path2 >= 0 ? mem_string(t->tid, t->args[n.path2], PATH_MAX) : NULL;
}

static char *resolve_one(struct task *t, int dirfd_arg, int path_arg, const char *path, bool follow)
{
    int dirfd = dirfd_arg >= 0 ? (int)t->args[dirfd_arg] : AT_FDCWD;
    if (path_arg < 0)
        return NULL;
    if (!path)                        /* utimensat(fd, NULL): the descriptor itself */
        return t->args[path_arg] || dirfd_arg < 0 ? NULL : path_of_fd(t->tid, dirfd);
    return path_resolve(t, dirfd, path, follow);
}

void resolve_names(struct task *t)
{
    struct name_args n = name_args(t->nr);
    free(t->resolved);
    free(t->resolved2);
    t->resolved2 = NULL;
    if (n.path < 0) {                 /* fchmod and its like */
        t->resolved = path_of_fd(t->tid, (int)t->args[0]);
        return;
    }
    t->resolved = resolve_one(t, n.dirfd, n.path, t->path, follows(t));
    t->resolved2 = resolve_one(t, n.dirfd2, n.path2, t->path2, false);
}

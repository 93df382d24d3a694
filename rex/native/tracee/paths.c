/* What a path means to a tracee: from its working directory or descriptor, through links. */
#include "base/base.h"
#include "log/log.h"
#include "mode/mode.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <fcntl.h>
#include <linux/openat2.h>

/* The path of an open descriptor, or of the working directory for AT_FDCWD. */
char *path_of_fd(pid_t tid, int fd)
{
    char *link = link_of_fd(tid, fd);
    if (!run_mode->names || !link || *link != '/')
        return link;
    char *path = run_mode->names->logical(link);
    free(link);
    return path;
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

bool path_is_common(const char *path)
{
    return *path == '/' && strncmp(path, "/proc/", 6) && strncmp(path, "/dev/", 5);
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

/* Where a path leads for the task: /proc/self is the task there, and not the tracer. */
static char *real_for(struct task *t, const char *path)
{
    char own[32], *real = path_real(path), *of_task;
    size_t n = (size_t)snprintf(own, sizeof own, "/proc/%d/", getpid());
    if (!real || strncmp(real, own, n))
        return real;
    of_task = text("/proc/%d/%s", t->leader->tid, real + n);
    free(real);
    return of_task;
}

/* Absolute and without links; the last component may be missing, and is itself
 * followed only on request.  NULL if there is no such directory. */
char *path_resolve(struct task *t, int dirfd, const char *path, bool follow)
{
    char *found = NULL;
    if (run_mode->names && *path)
        return run_mode->names->resolve(t, dirfd, path, follow, &found) ? NULL : found;
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
        result = real_for(t, full);
        if (result || is_dots(name)) {
            free(full);
            return result;
        }
    }
    *slash = 0;
    char *parent = real_for(t, slash == full ? "/" : full);
    result = parent ? text("%s/%s", strcmp(parent, "/") ? parent : "", name) : NULL;
    free(parent);
    free(full);
    return result;
}

int path_stat(const char *path, struct stat *st, bool follow)
{
    if (run_mode->names)
        return run_mode->names->stat(path, st);
    return follow ? stat(path, st) : lstat(path, st);
}

bool times_to_set(struct task *t, struct timespec times[2])
{
    int in_s = arg_of(t->nr, REX_WORD_U64), in_us = arg_of(t->nr, REX_WORD_TIMEVAL);
    int at = in_s >= 0 ? in_s : in_us >= 0 ? in_us : arg_of(t->nr, REX_WORD_TIMESPEC);
    int64_t given[4];
    for (int i = 0; i < 2; i++)
        times[i] = (struct timespec){0, UTIME_NOW};
    if (!t->args[at])
        return true;
    if (!mem_read(t->tid, t->args[at], given, in_s >= 0 ? sizeof given / 2 : sizeof given))
        return false;
    for (int i = 0; i < 2; i++)
        times[i] = in_s >= 0 ? (struct timespec){given[i], 0} : (struct timespec){given[2 * i], given[2 * i + 1] * (in_us >= 0 ? 1000 : 1)};
    return true;
}

mode_t open_mode(struct task *t)
{
    struct open_how how = {0};
    int mode = arg_of(t->nr, REX_WORD_MODE), in_memory = arg_of(t->nr, REX_WORD_OPENHOW);
    if (in_memory >= 0)
        mem_read(t->tid, t->args[in_memory], &how, sizeof how);
    return mode >= 0 ? (mode_t)t->args[mode] : (mode_t)how.mode;
}

/* in_memory: those of openat2. */
static int flags_of(long nr, const uint64_t *args, int in_memory)
{
    int flags = arg_of(nr, REX_WORD_OFLAGS);
    if (flags >= 0)
        return (int)args[flags];
    return arg_of(nr, REX_WORD_OPENHOW) >= 0 ? in_memory : O_CREAT | O_WRONLY | O_TRUNC;      /* of creat */
}

int open_flags(struct task *t)
{
    struct open_how how = {0};
    int in_memory = arg_of(t->nr, REX_WORD_OPENHOW);
    if (in_memory >= 0)
        mem_read(t->tid, t->args[in_memory], &how, sizeof how.flags);
    return flags_of(t->nr, t->args, (int)how.flags);
}

/* The same of a call in the log, which does not have the flags of openat2: whatever those may be. */
int flags_in(const struct record *r)
{
    return flags_of(r->call, r->args, O_CREAT | O_RDWR);
}

bool queries_descriptor(const struct task *t)
{
    bool is_named = name_args(t->nr).path >= 0;
    return arg_of(t->nr, REX_WORD_STAT) >= 0 && (!is_named || (t->path && !*t->path && lookup_flags(t->nr, t->args) & AT_EMPTY_PATH));
}

void read_names(struct task *t)
{
    struct name_args n = name_args(t->nr);
    free(t->path);
    free(t->path2);
    t->path = n.path >= 0 ? mem_string(t->tid, t->args[n.path], PATH_MAX) : NULL;
    t->path2 = n.path2 >= 0 ? mem_string(t->tid, t->args[n.path2], PATH_MAX) : NULL;
}

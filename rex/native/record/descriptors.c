/* Calls that arrange descriptors: which of them are external, and what stands on the standard ones.  What is inherited. */
#include "base/base.h"
#include "log/log.h"
#include "mode/mode.h"
#include "record/internal.h"
#include "record/record.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"
#include "track/track.h"

#include <asm/ioctls.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/kcmp.h>
#include <sys/syscall.h>

/* The end of an inner pipe on a standard descriptor: whoever is at its other end may see it. */
bool closes_pipe(struct task *t)
{
    struct stat st;
    return t->nr == REX_NR_close && t->args[0] <= 2 && stat_of_fd(t->tid, (int)t->args[0], &st) && S_ISFIFO(st.st_mode);
}

/* Threads that pass on what they read may find nothing once more. */
static bool says_nothing(const struct task *t)
{
    return is_output(t->stream) && t->nr == REX_NR_write && !t->args[2];
}

/* Whether a call that stops just runs, recorded or replayed: the log has no event of it. */
bool is_unlogged(struct task *t, bool external)
{
    enum rex_policy policy = call_of(t->nr)->policy;
    bool passes = policy == REX_NATIVE || policy == REX_REFUSE
        || (policy == REX_STREAM && !external && !names_process(t) && !arranges_pipe(t)) || says_nothing(t);
    return passes && !closes_pipe(t);
}

mode_t kind_read_or_written(const struct task *t)
{
    const struct rex_call *c = call_of(t->nr);
    struct stat st;
    return c->policy == REX_STREAM && c->fd_args & 1 && stat_of_fd(t->tid, (int)t->args[0], &st) ? st.st_mode & S_IFMT : 0;
}

uint64_t place_in_file(const struct task *t)
{
    return kind_read_or_written(t) == S_IFREG ? position_of_fd(t->tid, (int)t->args[0], ~0ULL) + 1 : 0;
}

static void close_range_entry(struct task *t)
{
    if (t->args[2] & CLOSE_RANGE_CLOEXEC)
        return;
    for (int i = t->files->count - 1; i >= 0; i--) {
        unsigned fd = (unsigned)t->files->item[i].fd;
        if (fd >= t->args[0] && fd <= t->args[1])
            files_set(t->files, (int)fd, 0);
    }
}

/* Before the kernel runs it: as soon as it has closed a descriptor, another thread may open one of that number. */
void descriptor_entry(struct task *t)
{
    if (call_of(t->nr)->hook == REX_HOOK_CLOSE)
        files_set(t->files, (int)t->args[0], 0);
    else if (call_of(t->nr)->hook == REX_HOOK_CLOSE_RANGE)
        close_range_entry(t);
}

static bool duplicates(struct task *t)
{
    return call_of(t->nr)->hook == REX_HOOK_DUP
        || (t->nr == REX_NR_fcntl && (t->args[1] == F_DUPFD || t->args[1] == F_DUPFD_CLOEXEC));
}

void descriptor_exit(struct task *t, int64_t result)
{
    int fd = (int)t->args[0];
    switch (call_of(t->nr)->hook) {
    case REX_HOOK_DUP:
    case REX_HOOK_FCNTL:
        if (result >= 0 && duplicates(t)) {
            files_duplicate(t->files, fd, (int)result);
            pipe_stands(t, result);
        }
    }
}

static bool is_directory(const struct task *t, int fd)
{
    struct stat st;
    return stat_of_fd(t->tid, fd, &st) && S_ISDIR(st.st_mode);
}

/* Names may be given below it, which nobody could tell from the log. */
bool duplicates_directory(struct task *t)
{
    return duplicates(t) && is_directory(t, (int)t->args[0]);
}

static void log_descriptor(struct task *t, int fd, const char *path)
{
    static struct bytes b;
    log_begin(&b, EVENT_DUP, t->index);
    struct record *r = (struct record *)b.data;
    r->stream = files_stream(t->files, fd);
    r->result = fd;
    r->args[0] = flags_of_fd(t->tid, fd, 0);
    r->args[1] = is_directory(t, fd);
    log_field(&b, FIELD_WHOLE, FIELD_RESOLVED, path, strlen(path));
    log_end(&b);
}

/* What a standard descriptor was made to stand for: only so is it known what processes
 * hand to each other; and each descriptor of a directory.  Replays pass over it. */
void record_duplicate(struct task *t, int64_t fd)
{
    bool counts = duplicates(t) && fd >= 0 && (fd <= 2 || is_directory(t, (int)fd));
    char *path = counts ? path_of_fd(t->tid, (int)fd) : NULL;
    if (path)
        log_descriptor(t, (int)fd, path);
    free(path);
}

/* At the end of a process that never executed a program: what it may have shared with its
 * parent beyond the standard descriptors. */
void record_channels(struct task *t)
{
    int fd;
    for (DIR *d = fds_of(t->tid); (fd = next_fd(d)) >= 0; ) {
        char *path = fd > 2 && !files_stream(t->files, fd) ? path_of_fd(t->tid, fd) : NULL;
        if (path && (!strncmp(path, "pipe:", 5) || !strncmp(path, "anon_inode:", 11) || !strncmp(path, "/memfd:", 7)))
            log_descriptor(t, fd, path);
        free(path);
    }
}

/* ------------------------------------------------------------------ what the first process inherits */

enum { INHERITED = 1024 };

/* Our own descriptors, in their order, as listed once: those that we have opened since are closed by an exec.  -1: no more. */
static int own_fd(unsigned i)
{
    static int fds[INHERITED];
    static unsigned count;
    int fd;
    if (!count)
        for (DIR *d = fds_of(getpid()); (fd = next_fd(d)) >= 0; )
            if (fd < INHERITED)
                fds[count++] = fd;
    return i < count ? fds[i] : -1;
}

/* Of duplicates (8>&1) the first. */
static int first_of(int fd)
{
    unsigned i = 0;
    while (own_fd(i) < fd && syscall(SYS_kcmp, getpid(), getpid(), KCMP_FILE, own_fd(i), fd))
        i++;
    return own_fd(i);
}

/* Standard input from a file that is archived: its reads need no event.  Where another descriptor moves its position, or
 * the program may write there, they do. */
static bool is_archived_input(int fd, const struct stat *st)
{
    if (fd || !S_ISREG(st->st_mode) || (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY)
        return false;
    for (unsigned i = 1; own_fd(i) >= 0; i++)
        if (!first_of(own_fd(i)))
            return false;
    return true;
}

static bool is_inherited(int fd, struct stat *st)
{
    return !fstat(fd, st) && !(fcntl(fd, F_GETFD) & FD_CLOEXEC) && !is_archived_input(fd, st);
}

/* A plain file with a name: as if the program had opened it (8>file). */
static char *inherited_file(int fd, const struct stat *st)
{
    char *path = fd > 2 && first_of(fd) > 2 && S_ISREG(st->st_mode) && st->st_nlink && !run_mode->names ? link_of_fd(getpid(), fd) : NULL;
    if (path && *path == '/' && !record_is_kernel_made(path))
        return path;
    free(path);
    return NULL;
}

void record_inherited(struct task *t, struct bytes *b)
{
    int pairs[2 * 64], n = 0, fd;
    for (unsigned i = 0; (fd = own_fd(i)) >= 0 && n < 126; i++) {
        struct stat st;
        char *path = is_inherited(fd, &st) ? inherited_file(fd, &st) : NULL;
        if (!path && is_inherited(fd, &st)) {
            int first = first_of(fd);
            record_outside(&st);
            uint32_t stream = fd <= 2 ? (uint32_t)fd + 1 : first < fd ? files_stream(t->files, first) : 0;
            files_set(t->files, fd, stream ? stream : stream_new());
            pairs[n++] = fd;
            pairs[n++] = (int)files_stream(t->files, fd);
        }
        free(path);
    }
    log_field(b, FIELD_WHOLE, FIELD_OUT, pairs, (size_t)n * sizeof *pairs);
}

static void log_inherited(struct task *t, int fd, const char *path, const struct stat *st)
{
    static struct bytes b;
    int flags = fcntl(fd, F_GETFL), first = first_of(fd);
    bool writes = (flags & O_ACCMODE) != O_RDONLY;
    if (writes)
        record_before_change(path, false);
    record_use(path, (writes ? USED_WRITTEN : 0) | ((flags & O_ACCMODE) != O_WRONLY ? USED_READ : 0), st);
    log_begin(&b, REX_NR_openat, t->index);
    struct record *r = (struct record *)b.data;
    r->result = fd;
    r->args[0] = (uint64_t)AT_FDCWD;
    r->args[2] = (uint64_t)flags;
    r->args[4] = (uint64_t)lseek(fd, 0, SEEK_CUR);
    r->args[5] = first < fd ? (uint64_t)first : 0;
    log_field(&b, 1, FIELD_IN, path, strlen(path));
    log_field(&b, 1, FIELD_RESOLVED, path, strlen(path));
    log_field(&b, 1, FIELD_STAT, st, sizeof *st);
    log_end(&b);
    t->nr = REX_NR_openat;
    if (writes)
        shared_opened(t, fd, st, flags & ~(O_APPEND | O_TRUNC));
}

void record_inherited_files(struct task *t)
{
    int fd;
    for (unsigned i = 0; (fd = own_fd(i)) >= 0; i++) {
        struct stat st;
        char *path = is_inherited(fd, &st) ? inherited_file(fd, &st) : NULL;
        if (path)
            log_inherited(t, fd, path, &st);
        free(path);
    }
}

/* What moves inside the kernel, or in the memory of processes outside, cannot be logged; libc opens a terminal's name instead of its peer. */
int record_refusal(const struct task *t, const struct rex_call *c)
{
    if (c->hook == REX_HOOK_PEER)
        return task_of((pid_t)t->args[0]) ? 0 : EPERM;
    return c->hook == REX_HOOK_COPY || (t->nr == REX_NR_ioctl && (uint32_t)t->args[1] == TIOCGPTPEER) ? EINVAL : 0;
}

/* Record: files.  What is opened is named and classed; what is about
 * to change is handed to the capture service first. */
#include "base/base.h"
#include "cpu/cpu.h"
#include "engine/engine.h"
#include "fastpath/fastpath.h"
#include "log/log.h"
#include "mode/mode.h"
#include "record/internal.h"
#include "record/record.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"
#include "track/track.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <sys/socket.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <sys/un.h>

enum touch { UNTOUCHED, CAPTURED, CREATED };

static struct table touched;             /* resolved path -> enum touch */

/* ------------------------------------------------------------------ what was used */

/* For the report; the first look at a file decides its identity. */
struct used { unsigned how; bool known; struct stat st; };

static struct table used, aliases;

static bool is_created(const char *path);

/* The service polls for hints, so that nobody is woken who would take this processor.
 * If there is no space for a hint it is lost, and the file is archived at the end. */
static void hint(const char *path)
{
    struct { uint32_t length; char path[PIPE_BUF - sizeof(uint32_t)]; } h;
    h.length = (uint32_t)strlen(path);
    if (plan.hints < 0 || h.length > sizeof h.path)
        return;
    memcpy(h.path, path, h.length);
    if (write(plan.hints, &h, sizeof h.length + h.length) < 0 && errno != EAGAIN && errno != EINTR)
        die("the capture service is gone");
}

/* A file that is only read can be kept beside the run, from its first use on. */
void record_use(const char *path, unsigned how, const struct stat *st)
{
    struct used **at = (struct used **)table_at(&used, path);
    if (how == USED_DIRECTORY && st)
        hidden_opened(st);
    bool is_first = !*at;
    if (is_first)
        *at = zalloc(sizeof **at);
    (*at)->how |= how;
    if (is_first && !(how & (USED_WRITTEN | USED_DIRECTORY)) && *path == '/' && !table_get(&touched, path) && !is_created(path))
        hint(path);
    if (st && !(*at)->known) {
        (*at)->known = true;
        (*at)->st = *st;
    }
}

void record_alias(const char *path)
{
    table_at(&aliases, path);
}

/* A name that is not the file's own goes through symbolic links, which belong to the experiment too. */
void record_use_alias(struct task *t, int dirfd, const char *given, const char *resolved)
{
    while (!strncmp(given, "./", 2))
        given += 2;
    size_t a = strlen(given), b = strlen(resolved);
    if (b >= a && !strcmp(resolved + b - a, given) && (*given == '/' ? a == b : a < b && resolved[b - a - 1] == '/'))
        return;
    char *base = *given == '/' ? NULL : path_of_fd(t->tid, dirfd);
    char *full = base ? text("%s/%s", base, given) : strdup(given);
    record_alias(full);
    free(full);
    free(base);
}

/* What was only read is mostly as it was: whoever reads the report need not look again. */
static unsigned how_now(const char *path, const struct used *u)
{
    struct stat st;
    if (run_mode->names || !u->known || u->how & (USED_WRITTEN | USED_DIRECTORY) || lstat(path, &st) || !S_ISREG(st.st_mode))
        return u->how;
    bool same = st.st_ino == u->st.st_ino && st.st_dev == u->st.st_dev && st.st_size == u->st.st_size
        && st.st_mtim.tv_sec == u->st.st_mtim.tv_sec && st.st_mtim.tv_nsec == u->st.st_mtim.tv_nsec;
    return u->how | (same ? USED_SAME : 0) | (st.st_nlink > 1 ? USED_LINKED : 0);
}

void record_report(void)
{
    for (size_t i = 0; i < used.size; i++) {
        const struct used *u = used.slot[i].value;
        if (u)
            report_line("use=%u %llu %lld %lld %ld %s", how_now(used.slot[i].key, u), (ull)u->st.st_ino, (long long)u->st.st_size,
                        (long long)u->st.st_mtim.tv_sec, u->st.st_mtim.tv_nsec, used.slot[i].key);
    }
    for (size_t i = 0; i < aliases.size; i++)
        if (aliases.slot[i].key)
            report_line("alias=%s", aliases.slot[i].key);
    for (size_t i = 0; i < touched.size; i++)
        if (touched.slot[i].value)
            report_line("touched=%d %s", (int)(intptr_t)touched.slot[i].value, touched.slot[i].key);
}

/* ------------------------------------------------------------------ changes */

static bool is_created(const char *path)
{
    char *p = strdup(path);
    bool created = false;
    for (char *slash; !created && *p; *slash = 0) {
        created = table_get(&touched, p) == (void *)(intptr_t)CREATED;
        if (!(slash = strrchr(p, '/')))
            break;
    }
    free(p);
    return created;
}

/* The service answers with one byte when it has the content; of a directory that moves, also of all below it. */
static void ask_capture(const char *path, bool moves)
{
    static struct bytes b;
    uint32_t n = (uint32_t)strlen(path), head = n | (moves ? 1u << 30 : 0);
    char answer;
    b.used = 0;
    bytes_add(&b, &head, sizeof head);
    bytes_add(&b, path, n);
    if (!write_whole(plan.control, b.data, b.used))
        die("the capture service is gone");
    read_whole(plan.control, &answer, 1);
}

static bool is_creating(const struct record_state *s, const char *path)
{
    return s->created && s->creating && !strcmp(s->creating, path);
}

/* By another task, whose call has not been seen to return. */
static bool is_being_created(const char *path)
{
    for (const struct task *t = tasks; t; t = t->next)
        if (t->alive && t->state == CALL_ENTERED && is_creating(record_state(t), path))
            return true;
    return false;
}

void record_before_change(const char *path, bool moves)
{
    static struct table moved;
    struct stat st;
    if ((plan.control < 0 && !run_mode->names) || path_stat(path, &st, false) || table_get(moves ? &moved : &touched, path) || is_created(path))
        return;
    if (is_being_created(path) || record_is_kernel_made(path))
        return;
    if (moves)
        *table_at(&moved, path) = &moved;
    if (!run_mode->names && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode) || S_ISLNK(st.st_mode)))
        ask_capture(path, moves);
    if (!table_get(&touched, path))
        *table_at(&touched, path) = (void *)(intptr_t)CAPTURED;
}

void record_created(const char *path)
{
    void **state = table_at(&touched, path);
    if (!*state)
        *state = (void *)(intptr_t)CREATED;
}

void record_name_gone(void)
{
    for (struct task *t = tasks; t; t = t->next)
        if (t->alive && record_state(t)->has_made) {
            record_state(t)->has_made = false;
            fast_forget_made(t);
        }
}

/* A socket of this machine has got a name in the file tree. */
void record_bound(struct task *t, struct bytes *b)
{
    struct sockaddr_un a = {0};
    size_t n = t->args[2] < sizeof a ? (size_t)t->args[2] : sizeof a - 1;
    if (run_mode->names || !mem_read(t->tid, t->args[1], &a, n) || a.sun_family != AF_UNIX || !*a.sun_path)
        return;
    a.sun_path[sizeof a.sun_path - 1] = 0;
    char *path = path_resolve(t, AT_FDCWD, a.sun_path, false);
    if (path) {
        log_field(b, 1, FIELD_RESOLVED, path, strlen(path));
        record_created(path);
    }
    free(path);
}

/* ------------------------------------------------------------------ opened files */

/* File systems whose contents the kernel makes up as they are read. */
bool record_is_kernel_made(const char *path)
{
    static const long magics[] = {PROC_SUPER_MAGIC, SYSFS_MAGIC, DEBUGFS_MAGIC, TRACEFS_MAGIC, CGROUP_SUPER_MAGIC,
        CGROUP2_SUPER_MAGIC, SECURITYFS_MAGIC, BPF_FS_MAGIC, SELINUX_MAGIC, EFIVARFS_MAGIC, PSTOREFS_MAGIC};
    struct statfs fs;
    if (strncmp(path, "/proc", 5) && strncmp(path, "/sys", 4))
        return false;
    if (statfs(path, &fs))
        return !strncmp(path, "/proc/", 6);
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
        if ((unsigned long)fs.f_type == (unsigned long)magics[i])
            return true;
    return false;
}

static struct stat *outside;             /* what the experiment inherits */
static size_t outside_count;

void record_outside(const struct stat *st)
{
    outside = grow(outside, outside_count, sizeof *outside);
    outside[outside_count++] = *st;
}

static bool is_outside_pipe(const struct stat *st)
{
    for (size_t i = 0; i < outside_count; i++)
        if (outside[i].st_ino == st->st_ino && outside[i].st_dev == st->st_dev)
            return true;
    return false;
}

static bool is_external(const char *path, const struct stat *st)
{
    switch (st->st_mode & S_IFMT) {
    case S_IFREG:
        return record_is_kernel_made(path);
    case S_IFDIR:
        return false;
    case S_IFCHR: {
        unsigned minor = minor(st->st_rdev);
        return major(st->st_rdev) != 1 || (minor != 3 && minor != 5 && minor != 7);   /* null, zero, full */
    }
    case S_IFIFO:
        return strncmp(path, "pipe:[", 6) ? !is_created(path) : is_outside_pipe(st);
    }
    return true;
}

/* What is opened by name (/dev/tty, /dev/stderr) is the standard stream that it is; a file or pipe, if it is for writing alone. */
uint32_t record_named_stream(const char *name, const struct stat *st, int flags)
{
    struct stat std;
    bool by_inode = (flags & O_ACCMODE) == O_WRONLY && (S_ISREG(st->st_mode) || S_ISFIFO(st->st_mode));
    if (!S_ISCHR(st->st_mode) && !by_inode)
        return 0;
    bool is_controlling = st->st_rdev == makedev(5, 0);
    size_t length = name ? strlen(name) : 0;
    int first = length && (name[length - 1] == '2' || (length > 6 && !strcmp(name + length - 6, "stderr"))) ? 2 : 1;
    for (int i = 0, fd = first; i < 2; i++, fd = 3 - first)
        if (!fstat(fd, &std) && (by_inode ? std.st_ino == st->st_ino && std.st_dev == st->st_dev
                : S_ISCHR(std.st_mode) && isatty(fd) && (is_controlling || std.st_rdev == st->st_rdev)))
            return (uint32_t)fd + 1;
    return 0;
}

/* Another has removed it since it was opened by its name, which has that at its end now. */
static void cut_removed(char *path, const struct stat *st, const char *given)
{
    static const char removed[] = " (deleted)";
    size_t n = strlen(path), tail = sizeof removed - 1;
    if (!st->st_nlink && n > tail && !strcmp(path + n - tail, removed) && given && strncmp(given, "/proc/", 6))
        path[n - tail] = 0;
}

/* Of a file that it made, which another may have moved or removed by now, the name it asked for; but a link there leads elsewhere. */
static char *opened_path(const struct task *t, int fd)
{
    const struct record_state *s = record_state(t);
    struct stat st;
    bool is_link = s->created && !path_stat(s->creating, &st, false) && S_ISLNK(st.st_mode);
    return s->created && !is_link ? strdup(s->creating) : path_of_fd(t->tid, fd);
}

void record_opened(struct task *t, int fd, struct bytes *b)
{
    struct name_args n = name_args(t->nr);
    char *path = opened_path(t, fd);
    struct stat st;
    if (!path || !stat_of_fd(t->tid, fd, &st)) {
        free(path);
        return;
    }
    cut_removed(path, &st, t->path);
    int flags = open_flags(t);
    uint32_t stream = record_named_stream(t->path, &st, flags);
    if (run_mode->names)
        run_mode->names->stat_fd(t, fd, &st);
    log_field(b, (uint8_t)n.path, FIELD_RESOLVED, path, strlen(path));
    log_field(b, (uint8_t)n.path, FIELD_STAT, &st, sizeof st);
    if (record_state(t)->created)
        record_created(path);
    if (record_state(t)->created && S_ISREG(st.st_mode) && fast_know_made(t, &st))
        record_state(t)->has_made = true;
    cause_opened(t, path, st.st_ino);
    bool writing = flags & (O_CREAT | O_TRUNC) || (flags & O_ACCMODE) != O_RDONLY;
    if (!stream && *path == '/' && t->path && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode) || S_ISFIFO(st.st_mode)) && !record_is_kernel_made(path)) {
        bool reading = (flags & O_ACCMODE) != O_WRONLY && !(flags & O_TRUNC) && !record_state(t)->created;
        record_use(path, S_ISDIR(st.st_mode) ? USED_DIRECTORY : (writing ? USED_WRITTEN : 0) | (reading ? USED_READ : 0), &st);
        record_use_alias(t, n.dirfd >= 0 ? (int)t->args[n.dirfd] : AT_FDCWD, t->path, path);
    }
    if (!stream && is_external(path, &st))
        stream = stream_new();
    if (stream) {
        place_opened(path, stream);
        auxv_opened(path, stream);
    }
    if (!stream)
        random_opened(t, fd, path);
    ((struct record *)b->data)->stream = stream;
    files_set(t->files, fd, stream);
    if (!stream && S_ISREG(st.st_mode) && is_bounded_file(path, flags))
        files_set(t->files, fd, (uint32_t)BOUNDED_FILE);
    if (!stream && writing && S_ISREG(st.st_mode))
        shared_opened(t, fd, &st, flags);
    free(path);
}

/* A file that another process has handed over: the stream that it is, 0 for an inner one. */
uint32_t record_received(const char *path, const struct stat *st)
{
    bool kept = *path == '/' && S_ISREG(st->st_mode) && st->st_nlink && !record_is_kernel_made(path) && !is_created(path);
    if (kept)
        record_use(path, USED_READ, st);
    if (!is_external(path, st))
        return 0;
    uint32_t stream = record_named_stream(NULL, st, O_RDWR);
    return stream ? stream : stream_new();
}

/* An open for reading, without a stop. */
void record_read_only(struct task *t, const struct record *r)
{
    const struct field *f = record_field(r, FIELD_WHOLE, FIELD_STAT);
    char *given = record_text(r, FIELD_WHOLE, FIELD_IN), *path = record_text(r, FIELD_WHOLE, FIELD_RESOLVED);
    struct stat st;
    if (f && f->length == sizeof st && given && path) {
        memcpy(&st, f->data, sizeof st);
        cause_found(t, path, st.st_ino);
        record_use(path, S_ISDIR(st.st_mode) ? USED_DIRECTORY : USED_READ, &st);
        record_use_alias(t, (int)r->args[0], given, path);
        if (t->leader->threads <= 1)      /* else another thread may have closed it, and a third opened one of that number */
            files_set(t->files, (int)r->result, 0);
    }
    free(given);
    free(path);
}

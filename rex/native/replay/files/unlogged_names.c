/* Replay: files that sibling threads name otherwise than when recorded.
 *
 * Threads draw each other's random names, and do each other's parts of a job.  A call that makes, moves, queries or removes a file of
 * such a name has no answer in the log, or that of another file.  So the call runs below the output
 * directory, by the names that the program gives. */
#include "base/base.h"
#include "log/log.h"
#include "replay/files/files.h"
#include "replay/files/internal.h"
#include "replay/index/index.h"
#include "replay/order/order.h"
#include "replay/ring/ring.h"
#include "replay/tasks/tasks.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <fcntl.h>

/* What the program calls it, in full; NULL: that is not known. */
char *replay_full_name(struct task *t, const uint64_t *args, int dirfd_arg, const char *path)
{
    const struct opened *o;
    char *dir = NULL, *full;
    if (!path || !*path)
        return NULL;
    if (*path == '/')
        return strdup(path);
    if (dirfd_arg < 0 || (int)args[dirfd_arg] == AT_FDCWD)
        dir = t->leader->cwd ? strdup(t->leader->cwd) : NULL;
    else if ((o = replay_opened(t, (int)args[dirfd_arg])) && o->event)
        dir = record_text(o->event->record, FIELD_WHOLE, FIELD_RESOLVED);
    else if (o && o->file) {
        char *real = path_of_fd(t->tid, (int)args[dirfd_arg]);
        dir = overlay_name(real) ? strdup(overlay_name(real)) : NULL;
        free(real);
    }
    while (!strncmp(path, "./", 2))
        path += 2;
    full = dir && strncmp(path, "../", 3) && strcmp(path, "..") ? strcmp(path, ".") ? text("%s/%s", dir, path) : strdup(dir) : NULL;
    free(dir);
    return full;
}

char *replay_own_name(struct task *t)
{
    struct name_args n = name_args(t->nr);
    return replay_full_name(t, t->args, n.dirfd, t->path);
}

/* Where a path leads through links of the archive. */
static char *without_links(const char *path)
{
    enum { MAX_LINKS = 40 };
    char *done = strdup(""), *left = strdup(path), *name = left;
    for (int links = 0; *name && links < MAX_LINKS; ) {
        size_t n = strcspn(name += strspn(name, "/"), "/");
        char *next = text("%s/%.*s", done, (int)n, name), *slash = strrchr(done, '/');
        const char *target = overlay_link(next);
        if (!n || (n == 1 && *name == '.'))
            target = NULL;
        else if (n == 2 && !strncmp(name, "..", 2)) {
            if (slash)
                *slash = 0;
        } else if (!target || *target == '/') {
            free(done);
            done = target ? strdup("") : strdup(next);
        }
        name += n;
        if (target) {
            char *rest = text("%s%s", target, name);
            free(left);
            name = left = rest;
            links++;
        }
        free(next);
    }
    free(left);
    return done;
}

/* Whether the event of a task is of a file that the experiment changes. */
bool replay_is_of_changed(struct task *t, struct event *e)
{
    const struct field *f = record_field(e->record, call_of(e->record->call)->key_arg, FIELD_IN);
    if (e->change)
        return e->change != IS_KEPT;
    char *given = f ? strndup((const char *)f->data, f->length) : NULL;
    char *path = replay_full_name(t, e->record->args, name_args(e->record->call).dirfd, given);
    e->change = replay_is_divided(path) ? IS_DIVIDED : replay_is_changed(path) ? IS_CHANGED : IS_KEPT;
    free(given);
    free(path);
    return e->change != IS_KEPT;
}

bool replay_makes_directory(long nr)
{
    return op_of(nr) == REX_OP_MKDIR;
}

static bool makes_link(long nr)
{
    return op_of(nr) == REX_OP_LINK;
}

/* Threads make and remove the same: whether it was there then for the change, or in its way, as it is now. */
static bool changes_as_now(struct task *t, const struct record *r)
{
    struct name_args n = name_args(t->nr);
    bool links = makes_link(t->nr), makes = links || replay_makes_directory(t->nr);
    bool removes = op_of(t->nr) == REX_OP_UNLINK || op_of(t->nr) == REX_OP_RMDIR;
    if (!(makes || removes) || !(r->result >= 0 || r->result == (makes ? -EEXIST : -ENOENT)))
        return true;
    char *path = links ? replay_full_name(t, t->args, n.dirfd2, t->path2) : replay_own_name(t);
    bool changes = path && replay_changes_alone(t, path), is_there = changes && overlay_exists(path);
    free(path);
    return !changes || (r->result >= 0) == (is_there != makes);
}

/* A file that the experiment changes, and that threads may look at earlier or later than when recorded: whether
 * it was there then as it is now, and was opened for the same. */
bool replay_is_as_now(struct task *t, const struct event *e)
{
    enum { FOR = O_ACCMODE | O_CREAT | O_EXCL | O_TRUNC | O_DIRECTORY };
    const struct rex_call *c = call_of(t->nr);
    const struct record *r = e->record;
    if (c->hook == REX_HOOK_TREE)
        return changes_as_now(t, r);
    bool asks = c->key == REX_KEY_PATH && c->hook != REX_HOOK_EXEC && t->path && *t->path;
    if (!asks || r->stream || !(r->result >= 0 || r->result == -ENOENT || r->result == -EEXIST))
        return true;
    bool opens = c->hook == REX_HOOK_OPEN;
    char *path = replay_own_name(t);
    bool changes = path && replay_changes_alone(t, path), is_there = changes && overlay_exists(path);
    int flags = opens && changes ? open_flags(t) : 0;
    free(path);
    if (!changes || (flags & O_CREAT && !(flags & O_EXCL)))
        return !changes || !((flags ^ flags_in(r)) & FOR);
    bool was_there = flags & O_CREAT ? r->result < 0 : r->result >= 0;
    return was_there == is_there && (!opens || !((flags ^ flags_in(r)) & FOR));
}

/* ------------------------------------------------------------------ changes of the tree */

/* What the log has of the change, by whomever: it has happened. */
static void cross_out(struct task *t, const char *path2)
{
    for (uint32_t i = 0; path2 && i < task_log_total(); i++)
        for (size_t k = task_log_of(i)->cursor; replay_is_sibling(t, task_log_of(i)) && k < task_log_of(i)->count; k++) {
            struct event *e = task_log_of(i)->event[k];
            const struct rex_call *c = call_of(e->record->call);
            char *to = !e->done && !e->taker && c && c->hook == REX_HOOK_TREE && name_args(e->record->call).path2 >= 0
                ? record_text(e->record, (uint8_t)name_args(e->record->call).path2, FIELD_RESOLVED) : NULL;
            bool is_same = to && !strcmp(to, path2);
            free(to);
            if (is_same) {
                replay_done(e);
                return;
            }
        }
}

/* Whether the change happens, or fails, by the program's own names. */
static bool change_own(struct task *t)
{
    struct name_args n = name_args(t->nr);
    char *path = replay_full_name(t, t->args, n.dirfd, t->path), *path2 = n.path2 >= 0 ? replay_full_name(t, t->args, n.dirfd2, t->path2) : NULL;
    bool makes = replay_makes_directory(t->nr), is_in_way = path2 && makes_link(t->nr) && overlay_exists(path2);
    bool known = path && (n.path2 < 0 || path2) && op_of(t->nr) != REX_OP_SYMLINK;
    if (known) {
        bool changes = overlay_exists(path) != makes && !is_in_way;
        if (changes) {
            overlay_change_own(t, path, path2);
            cross_out(t, path2);
            if (makes)
                replay_order_instead(t);
        }
        skip_call(t, changes ? 0 : makes || is_in_way ? -EEXIST : -ENOENT);
    }
    free(path);
    free(path2);
    return known;
}

/* What the log has of the file is of another name for it now. */
bool replay_renames_otherwise(struct task *t, const struct event *e)
{
    struct name_args n = name_args(t->nr);
    const struct field *f = n.path2 >= 0 ? record_field(e->record, (uint8_t)n.path2, FIELD_IN) : NULL;
    if (!f || !t->path2 || !has_shared_work(t) || e->record->result < 0
        || (strlen(t->path2) == f->length && !memcmp(t->path2, f->data, f->length)))
        return false;
    return change_own(t);
}

/* ------------------------------------------------------------------ calls that the log does not have */

static bool give_unlogged_stat(struct task *t, const char *file, const struct stat *st)
{
    int plain = arg_of(t->nr, REX_WORD_STAT);
    struct statx x;
    if (plain >= 0)
        return mem_write(t->tid, t->args[plain], st, sizeof *st);
    return !statx(AT_FDCWD, file, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS | STATX_BTIME, &x)
        && mem_write(t->tid, t->args[arg_of(t->nr, REX_WORD_STATX)], &x, sizeof x);
}

/* Queries of a file by its name. */
static bool ask_own(struct task *t)
{
    struct stat st;
    char *path = replay_own_name(t), *file = path ? overlay_made(path) : NULL;
    bool known = file && !lstat(file, &st);
    int64_t result = 0;
    switch (known ? op_of(t->nr) : REX_OP_NONE) {
    case REX_OP_STAT:
        known = give_unlogged_stat(t, file, &st);
        break;
    case REX_OP_ACCESS:
        result = faccessat(AT_FDCWD, file, (int)t->args[arg_of(t->nr, REX_WORD_ACCESS)], 0) ? -errno : 0;
        break;
    case REX_OP_READLINK:
        known = !S_ISLNK(st.st_mode);
        result = -EINVAL;
        break;
    default:
        known = false;
    }
    if (known)
        skip_call(t, result);
    free(path);
    free(file);
    return known;
}

/* Owner, mode or times of what it has open. */
static bool change_open(struct task *t)
{
    char *real = path_of_fd(t->tid, (int)t->args[0]);
    const char *name = real ? overlay_name(real) : NULL;
    if (name) {
        overlay_change_own(t, name, NULL);
        skip_call(t, 0);
    }
    free(real);
    return name;
}

char *replay_opened_name(struct task *t)
{
    char *given = replay_own_name(t), *path = given ? without_links(given) : NULL;
    free(given);
    return path;
}

/* What nobody changes may be opened by who did not when recorded: a library that an end by pthread_exit() loads, say. */
static bool open_own(struct task *t)
{
    char *given = replay_own_name(t), *path = replay_opened_name(t), *file = given ? overlay_made(given) : NULL;
    bool reads = (open_flags(t) & (O_ACCMODE | O_CREAT | O_TRUNC)) == O_RDONLY;
    bool known = path && ((reads && overlay_original(path)) || ((file || open_flags(t) & O_CREAT) && !overlay_is_archived(given)));
    if (known)
        replay_open(t, NULL);
    free(given);
    free(path);
    free(file);
    return known;
}

/* Whether a query names a file that the experiment changes: the log's answer no longer holds. */
bool replay_is_own_file(struct task *t)
{
    char *path = has_shared_work(t) && call_of(t->nr)->key == REX_KEY_PATH ? replay_own_name(t) : NULL;
    bool changes = path && replay_is_changed(path);
    free(path);
    return changes;
}

/* Whether it moves or removes what the log does not know: that is its own, or not there, and nobody else looks for it. */
bool replay_is_of_own(struct task *t)
{
    bool makes = replay_makes_directory(t->nr) || makes_link(t->nr) || op_of(t->nr) == REX_OP_SYMLINK || op_of(t->nr) == REX_OP_MKNOD;
    char *path = makes ? NULL : replay_own_name(t);
    bool is_own = path && !replay_is_changed(path) && !overlay_is_archived(path);
    free(path);
    return is_own;
}

/* It is looked for before it is made, more often than when recorded. */
static bool miss_own(struct task *t)
{
    const struct rex_call *c = call_of(t->nr);
    char *path = c->key == REX_KEY_PATH && c->hook != REX_HOOK_TREE && c->hook != REX_HOOK_EXEC ? replay_own_name(t) : NULL;
    bool misses = path && (replay_changes_alone(t, path) || (!replay_is_changed(path) && replay_is_within_made(path))) && !overlay_exists(path)
        && !(c->hook == REX_HOOK_OPEN && open_flags(t) & O_CREAT);
    free(path);
    if (misses)
        skip_call(t, -ENOENT);
    return misses;
}

bool replay_own_file(struct task *t)
{
    const struct rex_call *c = call_of(t->nr);
    if (!has_shared_work(t))
        return false;
    if (miss_own(t))
        return true;
    if (c->hook == REX_HOOK_OPEN)
        return open_own(t);
    if (c->hook == REX_HOOK_TREE)
        return t->path ? change_own(t) : change_open(t);
    return ask_own(t);
}

/* By file: the open that made it, as who has it from another process, or by a duplicate, knows it only by its inode. */
static struct table made;

static struct opened *made_by(const struct stat *st)
{
    struct opened **o = (struct opened **)table_at_file(&made, st->st_dev, st->st_ino);
    return *o ? *o : (*o = zalloc(sizeof **o));
}

void replay_note_made(struct task *t, int fd)
{
    struct stat st;
    if (open_flags(t) & O_CREAT && stat_of_fd(t->tid, fd, &st) && S_ISREG(st.st_mode)) {
        struct opened *o = made_by(&st);
        *o = t->files->opened[fd];
        if (o->again)
            o->event = NULL;              /* which describes another file */
    }
}

/* The same of an open that the stub has made. */
void replay_note_made_by_ring(const struct task *t, const struct event *e, int fd)
{
    const struct opened *o = files_opened(t->files, fd);
    struct stat st;
    if (o && o->event == e && !lstat(e->file, &st))
        *made_by(&st) = *o;
}

/* NULL: by none, or by that which made the descriptor. */
static struct opened *made_elsewhere(struct task *t, int fd)
{
    struct opened *o = files_opened(t->files, fd);
    struct stat st;
    uint64_t file = made.used && has_shared_work(t) ? file_of_fd(t->tid, fd) : 0;
    if (!file || (o && o->file == file) || !stat_of_fd(t->tid, fd, &st) || !S_ISREG(st.st_mode))
        return NULL;
    o = made_by(&st);
    return o->file == file ? o : NULL;
}

/* The open that made a descriptor, or its file. */
struct opened *replay_opened(struct task *t, int fd)
{
    struct opened *o = made_elsewhere(t, fd);
    if (o)
        return o;
    replay_note_opens(t);
    o = replay_directory_open(t, fd);
    return o ? o : files_opened(t->files, fd);
}

/* An open without the log has made this descriptor. */
void replay_own_opened(struct task *t, int fd)
{
    files_set(t->files, fd, 0);
    files_open(t->files, fd, NULL, file_state(t)->opening);
    replay_note_made(t, fd);
}

/* Whether it queries such a descriptor, or a duplicate of one that is a directory: the kernel knows. */
bool replay_is_own(struct task *t)
{
    bool by_fd = queries_descriptor(t) || lists_directory(t->nr);
    if (!by_fd || !has_shared_work(t) || files_stream(t->files, (int)t->args[0]))
        return false;
    const struct opened *other = made_elsewhere(t, (int)t->args[0]), *o = other ? other : files_opened(t->files, (int)t->args[0]);
    char *path = path_of_fd(t->tid, (int)t->args[0]);
    struct stat st;
    bool is_own = o && !o->event && o->file, is_same = is_own && o->file == file_of_fd(t->tid, (int)t->args[0]);
    bool is_there = overlay_name(path) || is_same;   /* and not another by now */
    free(path);
    return is_there && (is_own || (stat_of_fd(t->tid, (int)t->args[0], &st) && S_ISDIR(st.st_mode)));
}

/* A thread queries another: the kernel knows it by another number. */
bool replay_queries_name_of_sibling(struct task *t, const struct rex_call *c)
{
    bool asks = c->policy == REX_EMULATE && c->hook == REX_HOOK_NONE && c->arg[0].word == REX_WORD_PID && has_shared_work(t);
    struct task *other = asks ? task_named((uint32_t)t->args[0]) : NULL;
    if (!other || other->leader != t->leader)
        return false;
    struct user_regs_struct r = t->regs;
    r.rdi = (ull)other->tid;
    regs_set(t, &r);
    return true;
}

/* The files of a replay: archived ones as they were first seen, and above them
 * those that the replay itself writes, at OUTDIR/<absolute path>.  Nothing else
 * is ever touched. */
#include "base/base.h"
#include "log/log.h"
#include "replay/files/files.h"
#include "replay/files/internal.h"
#include "replay/order/order.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"
#include "tree/tree.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/xattr.h>

struct original { mode_t mode; struct timespec mtime; const char *file; };

static struct table originals;           /* archived path -> struct original */
static struct table programs;            /* program -> file to execute */
static struct table links, dirs;         /* archived link -> target; directory -> mode */
static struct table gone;                /* archived paths that the replay removed */
static struct table made_programs;

void overlay_start(void)
{
    for (size_t i = 0; i < plan.map_from.count && i < plan.map_to.count; i++) {
        struct original *o = zalloc(sizeof *o);
        char *p = plan.map_to.item[i];
        o->mode = (mode_t)strtoul(p, &p, 8);
        o->mtime = parse_time(&p);
        o->file = *p ? p + 1 : p;
        *table_at(&originals, plan.map_from.item[i]) = o;
    }
    for (size_t i = 0; i < plan.exec_from.count && i < plan.exec_to.count; i++)
        *table_at(&programs, plan.exec_from.item[i]) = plan.exec_to.item[i];
    for (size_t i = 0; i < plan.link_from.count && i < plan.link_to.count; i++)
        *table_at(&links, plan.link_from.item[i]) = plan.link_to.item[i];
    for (size_t i = 0; i < plan.dirs.count; i++) {
        char *p = plan.dirs.item[i];
        unsigned long mode = strtoul(p, &p, 8);
        if (*p == ' ')
            *table_at(&dirs, p + 1) = (void *)(mode | 1UL << 32);
    }
}

/* The kernel provides these on every machine. */
bool overlay_is_kernel_device(const char *path)
{
    return !strcmp(path, "/dev/null") || !strcmp(path, "/dev/zero") || !strcmp(path, "/dev/full");
}

static bool is_gone(const char *path)
{
    char *p = strdup(path);
    bool result = false;
    for (char *slash; !result && *p; *slash = 0) {
        result = table_get(&gone, p) != NULL;
        if (!(slash = strrchr(p, '/')))
            break;
    }
    free(p);
    return result;
}

static const struct original *original_of(const char *path)
{
    return is_gone(path) ? NULL : table_get(&originals, path);
}

static void make_parents(const char *path);

static void make_long_parents(const char *path)
{
    char *parent = strdup(path), *above;
    *strrchr(parent, '/') = 0;
    make_parents(parent);
    above = upper(parent);
    mkdir(above, 0777);
    free(above);
    free(parent);
}

static void make_parents(const char *path)
{
    if (upper_is_long(path)) {
        make_long_parents(path);
        return;
    }
    char *p = upper(path), *last = strrchr(p, '/');
    *last = 0;
    bool is_there = !access(p, F_OK);         /* mostly */
    *last = '/';
    for (char *slash = p + strlen(plan.outdir); !is_there && (slash = strchr(slash + 1, '/')); *slash = '/') {
        *slash = 0;
        mkdir(p, 0777);
    }
    free(p);
}

static void copy_file(const struct original *o, const char *to, bool empty)
{
    int in = open(o->file, O_RDONLY | O_CLOEXEC);
    int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    struct timespec times[2] = {{0, UTIME_OMIT}, o->mtime};
    if (in < 0 || out < 0 || (!empty && !copy_bytes(in, out)))
        report_line("copy_failed=%s: %s", to, strerror(errno));
    if (out >= 0) {
        set_mode(to, o->mode & 07777);
        futimens(out, times);
    }
    close(in);
    close(out);
}

/* An archived file, link or directory gets its place above; what is there already stays. */
static void copy_up(const char *path, bool empty)
{
    struct stat st;
    char *to = upper(path);
    const struct original *o;
    const char *target;
    if (lstat(to, &st) && !is_gone(path)) {
        make_parents(path);
        if ((o = table_get(&originals, path)))
            copy_file(o, to, empty);
        else if ((target = table_get(&links, path))) {
            if (symlink(target, to))
                report_line("copy_failed=%s: %s", to, strerror(errno));
        } else if (table_get(&dirs, path))
            make_dir(to, (mode_t)(uintptr_t)table_get(&dirs, path) & 07777);
    }
    free(to);
}

static void copy_up_below(const struct table *t, const char *path)
{
    size_t n = strlen(path);
    for (size_t i = 0; i < t->size; i++)
        if (t->slot[i].key && t->slot[i].value && !strncmp(t->slot[i].key, path, n) && t->slot[i].key[n] == '/')
            copy_up(t->slot[i].key, false);
}

char *overlay_read(const char *path)
{
    struct stat st;
    char *above = upper(path);
    if (!lstat(above, &st) && !S_ISDIR(st.st_mode))
        return above;
    free(above);
    const struct original *o = original_of(path);
    return o ? strdup(o->file) : NULL;
}

const char *overlay_original(const char *path)
{
    const struct original *o = original_of(path);
    char *above = strdup(path), *slash;
    bool is_changed = replay_is_changed(above);
    while (!is_changed && (slash = strrchr(above, '/')) && slash != above) {
        *slash = 0;
        is_changed = replay_is_changed(above);
    }
    free(above);
    return o && !is_changed ? o->file : NULL;
}

const char *overlay_link(const char *path)
{
    return is_gone(path) ? NULL : table_get(&links, path);
}

char *overlay_write(const char *path, bool truncate)
{
    if (original_of(path))
        copy_up(path, truncate);
    else
        make_parents(path);
    return upper(path);
}

/* ------------------------------------------------------------------ programs */

static char *with_loader(const char *program, const char *loader)
{
    static unsigned made;
    char *copy = text("%s/program%u", plan.work, made++);
    if (!program_with_loader(program, loader, copy))
        report_line("copy_failed=%s: %s", program, strerror(errno));
    return copy;
}

/* Archived programs were prepared by the caller; one that the replay has built is prepared here.  held: where one is that may
 * have no name, as a file in memory; NULL: it has one. */
char *overlay_program(const char *path, const char *loader, const char *held)
{
    struct stat st;
    char *above = upper(path), *loader_file;
    if (lstat(above, &st)) {
        free(above);
        const char *file = is_gone(path) ? NULL : table_get(&programs, path);
        if (file || !held || stat(held, &st))
            return file ? strdup(file) : NULL;
        above = strdup(held);
    }
    if (!loader || !(loader_file = overlay_read(loader)))
        return above;
    char *identity = text("%s %lld %lld.%ld", above, (long long)st.st_ino, (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
    void **known = table_at(&made_programs, identity);
    if (!*known)
        *known = with_loader(above, loader_file);
    free(identity);
    free(loader_file);
    free(above);
    return strdup(*known);
}

/* ------------------------------------------------------------------ changes */

static void remove_one(const char *path, bool directory)
{
    char *above = upper(path);
    if (directory ? rmdir(above) : unlink(above))
        (void)0;                          /* it may be archived only */
    if (table_get(&originals, path) || table_get(&links, path) || table_get(&dirs, path))
        *table_at(&gone, path) = &gone;
    free(above);
}

bool overlay_is_archived(const char *path)
{
    return !is_gone(path) && (table_get(&originals, path) || table_get(&links, path) || table_get(&dirs, path));
}

char *overlay_made(const char *path)
{
    char *above = upper(path);
    struct stat st;
    if (!table_get(&originals, path) && !table_get(&dirs, path) && !lstat(above, &st))
        return above;
    free(above);
    return NULL;
}

bool overlay_exists(const char *path)
{
    char *above = upper(path);
    struct stat st;
    bool is_there = !lstat(above, &st) || overlay_is_archived(path);
    free(above);
    return is_there;
}

static void move(const char *from, const char *to, unsigned flags)
{
    char *a = upper(from), *b = upper(to);
    copy_up(from, false);
    copy_up_below(&originals, from);
    copy_up_below(&links, from);
    copy_up_below(&dirs, from);
    if (flags & RENAME_EXCHANGE)
        copy_up(to, false);
    make_parents(to);
    if (renameat2(AT_FDCWD, a, AT_FDCWD, b, flags & RENAME_EXCHANGE))
        report_line("change_failed=rename %s: %s", from, strerror(errno));
    if (!(flags & RENAME_EXCHANGE))
        *table_at(&gone, from) = &gone;
    free(a);
    free(b);
}

/* linkat on a descriptor gives an unnamed file its name. */
static void link_one(struct task *t, const struct record *r, const char *from, const char *to, const char *given)
{
    char *a, *b = upper(to), *digits = given ? strstr(given, "/fd/") : NULL;
    make_parents(to);
    if (given && !*given)
        a = text("/proc/%d/fd/%d", t->tid, (int)r->args[0]);
    else if (digits && !strncmp(given, "/proc/", 6))
        a = text("/proc/%d/fd/%s", t->tid, digits + 4);
    else {
        copy_up(from, false);
        a = upper(from);
    }
    if (linkat(AT_FDCWD, a, AT_FDCWD, b, strncmp(a, "/proc/", 6) ? 0 : AT_SYMLINK_FOLLOW))
        report_line("change_failed=link %s: %s", to, strerror(errno));
    free(a);
    free(b);
}

static void set_times(struct task *t, const struct record *r, const char *file)
{
    struct timespec times[2];
    if (times_to_set(t, times))
        utimensat(AT_FDCWD, file, times, lookup_flags(r->call, t->args) & AT_SYMLINK_NOFOLLOW);
}

/* Access lists, which carry modes, among them; what this file system refuses is only in the log. */
static void set_attribute(struct task *t, const char *file)
{
    char *name = mem_string(t->tid, t->args[1], 256);
    size_t n = (size_t)t->args[3];
    struct bytes value = {0};
    if (name && n <= 65536 && mem_read(t->tid, t->args[2], bytes_reserve(&value, n + 1), n)
        && lsetxattr(file, name, value.data, n, (int)t->args[4]))
        errno = 0;
    bytes_free(&value);
    free(name);
}

static void make_node(struct task *t, const char *path, uint64_t mode, bool directory)
{
    char *above = upper(path);
    mode_t wanted = masked(t, mode);
    make_parents(path);
    mode_t kind = S_ISFIFO(wanted) || S_ISSOCK(wanted) ? wanted & S_IFMT : 0;       /* others need rights */
    int failed = directory ? mkdir(above, 0700) : mknod(above, kind | 0600, 0);
    if (failed && errno != EEXIST)
        report_line("change_failed=%s: %s", above, strerror(errno));
    set_mode(above, wanted & 07777);
    free(above);
}

/* A socket that was bound to a name shows there. */
void overlay_bind(struct task *t, const struct record *r)
{
    char *path = record_text(r, FIELD_WHOLE, FIELD_RESOLVED), *above = path ? upper(path) : NULL;
    if (path) {
        make_parents(path);
        if (mknod(above, S_IFSOCK | masked(t, 0777), 0))
            report_line("change_failed=%s: %s", above, strerror(errno));
    }
    free(above);
    free(path);
}

static void change(struct task *t, const struct record *r, const char *path, const char *path2, const char *given)
{
    char *above = upper(path), *target;
    int by_fd = name_args(r->call).dirfd >= 0;
    switch (op_of(r->call)) {
    case REX_OP_MKDIR:
        make_node(t, path, t->args[1 + by_fd], true);
        break;
    case REX_OP_MKNOD:
        make_node(t, path, t->args[1 + by_fd], false);
        break;
    case REX_OP_RMDIR:
        remove_one(path, true);
        break;
    case REX_OP_UNLINK:
        remove_one(path, by_fd && t->args[2] & AT_REMOVEDIR);
        break;
    case REX_OP_RENAME:
        if (path2)
            move(path, path2, rename_flags(r->call, t->args));
        break;
    case REX_OP_LINK:
        if (path2)
            link_one(t, r, path, path2, given);
        break;
    case REX_OP_SYMLINK:
        make_parents(path);
        target = mem_string(t->tid, t->args[0], PATH_MAX);
        if (!target || symlink(target, above))
            report_line("change_failed=symlink %s: %s", above, strerror(errno));
        free(target);
        break;
    case REX_OP_TRUNCATE:
        free(overlay_write(path, false));
        if (truncate(above, (off_t)t->args[1]))
            report_line("change_failed=truncate %s: %s", above, strerror(errno));
        break;
    case REX_OP_CHMOD:
        copy_up(path, false);
        set_mode(above, (mode_t)t->args[1 + by_fd] & 07777);
        break;
    case REX_OP_UTIME:
        copy_up(path, false);
        set_times(t, r, above);
        break;
    case REX_OP_SETXATTR:
        copy_up(path, false);
        set_attribute(t, above);
        break;
    default:                              /* owners are only in the log: we may not be able to give files away */
        copy_up(path, false);
    }
    free(above);
}

/* Where the replay has the file or directory that a call changes; NULL: its name is long. */
char *overlay_changed(const struct record *r)
{
    char *path = record_text(r, FIELD_WHOLE, FIELD_RESOLVED), *above = path && *path == '/' && !upper_is_long(path) ? upper(path) : NULL;
    free(path);
    return above;
}

bool overlay_has(const char *file)
{
    struct stat st;
    return !lstat(file, &st) && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
}

/* What the stub leaves to do of a change.  file: as overlay_changed() gave it. */
void overlay_finish_change(const struct record *r, const char *file)
{
    bool by_fd = name_args(r->call).dirfd >= 0;
    enum rex_op op = op_of(r->call);
    char *path = op == REX_OP_UNLINK || op == REX_OP_RMDIR ? record_text(r, FIELD_WHOLE, FIELD_RESOLVED) : NULL;
    if (op == REX_OP_CHMOD)
        set_mode(file, (mode_t)r->args[1 + by_fd] & 07777);
    if (path && *path == '/')
        remove_one(path, op == REX_OP_RMDIR || (by_fd && r->args[2] & AT_REMOVEDIR));
    free(path);
}

/* A file that a call names by descriptor is the one that is open: threads may use another name than when recorded. */
static char *path_to_change(struct task *t, const struct record *r, int arg)
{
    char *real = t->path ? NULL : path_of_fd(t->tid, (int)t->args[0]);
    const char *name = real ? overlay_name(real) : NULL;
    char *path = name ? strdup(name) : record_text(r, arg >= 0 ? (uint8_t)arg : 0, FIELD_RESOLVED);
    free(real);
    return path;
}

void overlay_change(struct task *t, const struct record *r)
{
    struct name_args n = name_args(r->call);
    char *path = path_to_change(t, r, n.path);
    char *path2 = n.path2 >= 0 ? record_text(r, (uint8_t)n.path2, FIELD_RESOLVED) : NULL;
    char *given = n.path >= 0 ? record_text(r, (uint8_t)n.path, FIELD_IN) : NULL;
    if (path && *path == '/')
        change(t, r, path, path2, given);
    free(path);
    free(path2);
    free(given);
}

void overlay_change_own(struct task *t, const char *path, const char *path2)
{
    const struct record r = {.call = (uint16_t)t->nr, .args = {t->args[0], t->args[1], t->args[2], t->args[3], t->args[4], t->args[5]}};
    change(t, &r, path, path2, NULL);
}

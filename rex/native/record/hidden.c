/* Record: the archive that is written, and the cache, do not exist for the program.
 * Calls that lead there by any name fail with ENOENT, listings leave them out, and a directory above them can be neither
 * removed nor renamed.  The log has the answers that the program got. */
#include "base/base.h"
#include "fastpath/fastpath.h"
#include "log/log.h"
#include "mode/mode.h"
#include "record/internal.h"
#include "syscalls/syscalls.h"
#include "tracee/hidden.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

/* What the program noticed of each, the most telling last. */
enum { UNSEEN, LEFT_OUT, REFUSED };
enum { MOST_MESSAGES = 1024 };           /* of one call, as the kernel has it */
enum { MOST_SHOWN = 4096 };

static struct table noticed;             /* directory of the plan -> one of these */

static void notice(const char *directory, intptr_t what)
{
    void **known = table_at(&noticed, directory);
    if ((intptr_t)*known < what)
        *known = (void *)what;
}

void hidden_report(void)
{
    for (size_t i = 0; i < noticed.size; i++)
        if (noticed.slot[i].value)
            report_line("hidden=%d %s", (int)(intptr_t)noticed.slot[i].value, noticed.slot[i].key);
}

/* A directory that lists one of them was opened. */
void hidden_opened(const struct stat *st)
{
    for (uint64_t i = 0; i < hidden_all()->count; i++)
        if (hidden_is_above(&hidden_all()->item[i], st))
            notice(plan.hidden.item[i], LEFT_OUT);
}

/* ------------------------------------------------------------------ calls on names */

/* RESOLVE_IN_ROOT: the directory that the path begins at is the root of the path, of links on its way, and of "..". */
static bool has_own_root(struct task *t)
{
    struct open_how how = {0};
    int at = arg_of(t->nr, REX_WORD_OPENHOW);
    return at >= 0 && mem_read(t->tid, t->args[at], &how, sizeof how) && how.resolve & RESOLVE_IN_ROOT;
}

/* A path below its own root as the kernel has it, or that of the directory where a new file would be; NULL: there is none. */
static char *path_below_root(struct task *t, int dirfd, const char *path, bool follow)
{
    struct open_how how = {.flags = O_PATH | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW), .resolve = RESOLVE_IN_ROOT};
    char *root = dirfd == AT_FDCWD ? text("/proc/%d/cwd", t->tid) : text("/proc/%d/fd/%d", t->tid, dirfd), *tail = strrchr(path, '/');
    int top = open(root, O_PATH | O_CLOEXEC), fd = (int)syscall(SYS_openat2, top, path, &how, sizeof how);
    if (fd < 0 && tail) {
        char *directory = strndup(path, (size_t)(tail - path) + 1);
        how.flags = O_PATH | O_CLOEXEC;
        fd = (int)syscall(SYS_openat2, top, directory, &how, sizeof how);
        free(directory);
    }
    char *found = fd >= 0 ? link_of_fd(getpid(), fd) : NULL;
    close(fd);
    close(top);
    free(root);
    return found;
}

static bool leads_there(struct task *t, int dirfd, const char *path, bool follow)
{
    const char *found;
    bool own_root = has_own_root(t);
    if (own_root || !hidden_by_place(t, dirfd, path, follow, &found)) {
        char *resolved = own_root ? path_below_root(t, dirfd, path, follow) : path_resolve(t, dirfd, path, follow);
        found = resolved ? hidden_of(resolved) : NULL;
        free(resolved);
    }
    if (found)
        notice(found, REFUSED);
    return found;
}

/* Of a path that means the same to every process: until when it leads elsewhere, as hidden_all()->changes counts; 0: nobody has looked.
 * Each process of a shell script opens the same libraries. */
static void **shown_until(const char *path, bool follow)
{
    static struct table shown;
    if (!follow || !path_is_common(path) || (shown.used >= MOST_SHOWN && !table_get(&shown, path)))
        return NULL;
    return table_at(&shown, path);
}

/* By its whole path, or on its way: NAME/../other. */
static bool is_hidden(struct task *t, int dirfd, const char *path, bool follow)
{
    uint32_t n = path ? (uint32_t)strlen(path) : 0, end;
    void **until = n && !has_own_root(t) ? shown_until(path, follow) : NULL, *now = (void *)(uintptr_t)(hidden_all()->changes + 1);
    if (!n || (until && *until == now))      /* no name: of a descriptor itself, and none is of what is hidden */
        return false;
    bool found = leads_there(t, dirfd, path, follow);
    for (uint32_t from = 0; !found && (end = hidden_name_end(hidden_all(), path + from, n - from)); from += end) {
        char *start = strndup(path, from + end);
        found = from + end < n && leads_there(t, dirfd, start, true);
        free(start);
    }
    if (until && !found)
        *until = now;
    return found;
}

static bool is_argument_hidden(struct task *t, int dirfd_arg, int path_arg, const char *path, bool follow)
{
    return path_arg >= 0 && is_hidden(t, dirfd_arg >= 0 ? (int)t->args[dirfd_arg] : AT_FDCWD, path, follow);
}

static bool is_address_hidden(struct task *t, uint64_t address, uint64_t size)
{
    struct sockaddr_un a = {0};
    size_t n = size < sizeof a ? (size_t)size : sizeof a - 1;
    if (!address || !mem_read(t->tid, address, &a, n) || a.sun_family != AF_UNIX || !*a.sun_path)
        return false;
    a.sun_path[sizeof a.sun_path - 1] = 0;
    return is_hidden(t, AT_FDCWD, a.sun_path, true);
}

/* Of several messages one is enough: then none is sent. */
static bool is_receiver_hidden(struct task *t)
{
    bool is_one = t->nr == REX_NR_sendmsg;
    uint64_t step = is_one ? sizeof(struct msghdr) : sizeof(struct mmsghdr), count = is_one ? 1 : t->args[2];
    struct msghdr m;
    for (uint64_t i = 0; i < count && i < MOST_MESSAGES && mem_read(t->tid, t->args[1] + i * step, &m, sizeof m); i++)
        if (is_address_hidden(t, (uint64_t)m.msg_name, m.msg_namelen))
            return true;
    return false;
}

static bool is_socket_hidden(struct task *t)
{
    if (t->nr == REX_NR_bind || t->nr == REX_NR_connect)
        return is_address_hidden(t, t->args[1], t->args[2]);
    if (t->nr == REX_NR_sendto)
        return is_address_hidden(t, t->args[4], t->args[5]);
    return (t->nr == REX_NR_sendmsg || t->nr == REX_NR_sendmmsg) && is_receiver_hidden(t);
}

/* A directory above it is in use, as one below which something is mounted. */
static bool moves_from_above(struct task *t)
{
    const char *found = op_of(t->nr) == REX_OP_RENAME && record_state(t)->resolved ? hidden_below(record_state(t)->resolved) : NULL;
    if (!found && rename_flags(t->nr, t->args) & RENAME_EXCHANGE && record_state(t)->resolved2)
        found = hidden_below(record_state(t)->resolved2);
    if (found)
        notice(found, REFUSED);
    return found;
}

static const char *last_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void know_name(struct task *t, const char *name, bool is_link)
{
    const char *found;
    bool is_clear = hidden_by_place(t, AT_FDCWD, name, true, &found);
    if (is_clear && is_link)              /* it is none, as the stub will see */
        return;
    if (!is_clear) {
        char *resolved = path_resolve(t, AT_FDCWD, name, true);
        found = resolved && (!is_link || strcmp(last_name(resolved), last_name(name))) ? hidden_of(resolved) : "";
        free(resolved);
    }
    if (!found)
        fast_know_directory(t, name, (uint32_t)strlen(name), path_is_common(name));
}

/* Of a query that may go on: others of that name, which may be a link, and in its directory need not stop. */
static void know_directory(struct task *t, int dirfd_arg, bool follow)
{
    const char *slash = strrchr(t->path, '/');
    if (!t->ring || (*t->path != '/' && dirfd_arg >= 0 && (int)t->args[dirfd_arg] != AT_FDCWD))
        return;
    char *directory = slash && slash != t->path ? strndup(t->path, (size_t)(slash - t->path)) : NULL;
    if (directory)
        know_name(t, directory, false);
    if (follow && *t->path)
        know_name(t, t->path, true);
    free(directory);
}

/* The error of a call that begins, its names read; 0: it may go on. */
int hidden_refusal(struct task *t)
{
    struct name_args n = name_args(t->nr);
    if (!hidden_all()->count || run_mode->names)
        return 0;
    bool follow = call_of(t->nr)->hook == REX_HOOK_OPEN ? !(open_flags(t) & O_NOFOLLOW) : follows_last(t->nr, t->args);
    if (is_argument_hidden(t, n.dirfd, n.path, t->path, follow) || is_argument_hidden(t, n.dirfd2, n.path2, t->path2, false)
        || is_socket_hidden(t))
        return ENOENT;
    if (t->path && call_of(t->nr)->query)
        know_directory(t, n.dirfd, follow);
    return moves_from_above(t) ? EBUSY : 0;
}

/* Names lead on through directories and links alone. */
static bool leads_on(const char *path)
{
    struct stat st;
    return path && (lstat(path, &st) ? errno != ENOENT : !S_ISREG(st.st_mode));
}

/* A call has ended that gives names another meaning. */
void hidden_names_moved(struct task *t)
{
    enum rex_op op = op_of(t->nr);
    const struct record_state *s = record_state(t);
    if (!hidden_all()->count)
        return;
    bool moves = op == REX_OP_LINK || op == REX_OP_RENAME;
    if (call_of(t->nr)->hook == REX_HOOK_CHDIR)
        fast_directory_changes(t);
    if (op == REX_OP_SYMLINK || (moves && (!s->resolved2 || leads_on(s->resolved2) || leads_on(s->resolved))))
        fast_names_change();
}

/* The directory seems to be empty, and is not. */
void hidden_kept_directory(const struct task *t, int64_t result)
{
    const char *found = result == -ENOTEMPTY && record_state(t)->resolved ? hidden_below(record_state(t)->resolved) : NULL;
    if (found)
        notice(found, REFUSED);
}

/* ------------------------------------------------------------------ listings */

/* What a listing gave, without it: how many bytes are left.  0: it was alone there, and the call is to be made again. */
int64_t hidden_list(struct task *t, int64_t n)
{
    static struct bytes b;
    struct stat st;
    int64_t left = n;
    bool is_above = hidden_all()->count && !run_mode->names && stat_of_fd(t->tid, (int)t->args[0], &st);
    for (uint64_t i = 0; is_above && left > 0 && i < hidden_all()->count; i++) {
        const struct hidden *h = &hidden_all()->item[i];
        b.used = 0;
        if (!hidden_is_above(h, &st) || !mem_read(t->tid, t->args[1], bytes_reserve(&b, (size_t)left), (size_t)left))
            continue;
        uint64_t at = hidden_entry(h, b.data, (uint64_t)left, arg_of(t->nr, REX_WORD_DIRENT) >= 0 ? OLD_NAME_AT : NAME_AT);
        if (at < (uint64_t)left) {
            left = (int64_t)hidden_drop_entry(b.data, (uint64_t)left, at);
            mem_write(t->tid, t->args[1], b.data, (size_t)left);
            notice(plan.hidden.item[i], LEFT_OUT);
        }
    }
    if (left && left != n)
        give_result(t, left);
    return left;
}

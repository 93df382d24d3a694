/* Live: opening files, changing directory, watching, and sockets with names. */
#include "base/base.h"
#include "live/internal.h"
#include "live/live.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/un.h>

/* ------------------------------------------------------------------ what is used of this machine */

static const char *own_process(struct task *t, const char *path, char *into, size_t n)
{
    char pid[20];
    int length = snprintf(pid, sizeof pid, "/proc/%d/", t->leader->tid);
    if (strncmp(path, pid, (size_t)length))
        return path;
    snprintf(into, n, "/proc/self/%s", path + length);
    return into;
}

static void use_opened(struct task *t, const struct place *p)
{
    char own[PATH_MAX + 16];
    unsigned major = major(p->st.st_rdev), minor = minor(p->st.st_rdev);
    if (p->layer != LIVE || p->is_magic || S_ISDIR(p->st.st_mode))
        return;
    if (view_is_kernel(p->path))
        live_use(LIVE_SYSTEM, own_process(t, p->path, own, sizeof own));
    else if (S_ISREG(p->st.st_mode))
        live_use(LIVE_FILE, p->path);
    else if (S_ISCHR(p->st.st_mode) && major == 1 && (minor == 8 || minor == 9))
        live_use(LIVE_RANDOM, p->path);
    else if (!S_ISCHR(p->st.st_mode) || !(major == 1 && (minor == 3 || minor == 5 || minor == 7)))
        live_use(LIVE_DEVICE, p->path);
}

/* ------------------------------------------------------------------ open */

static bool is_own_process(const char *path)
{
    int pid = 0;
    return sscanf(path, "/proc/%d/", &pid) == 1 && task_of(pid);
}

/* An existing file that is to be written: the physical file, or -errno. */
static int for_writing(struct task *t, struct place *p, int flags, char **file)
{
    if (S_ISDIR(p->st.st_mode))
        return -EISDIR;
    if (p->layer == LIVE && (S_ISBLK(p->st.st_mode) || (view_is_kernel(p->path) && !is_own_process(p->path))))
        return -EACCES;
    if (p->layer == LIVE && (!S_ISREG(p->st.st_mode) || view_is_kernel(p->path))) {
        *file = view_physical(p);
        return 0;
    }
    int failed = view_copy_up(t, p, flags & O_TRUNC);
    if (!failed)
        *file = view_upper(p->path);
    return failed;
}

static int for_new(struct place *p, char **file)
{
    int failed = view_is_kernel(p->path) ? -ENOENT : view_make_parents(p->path);
    if (!failed)
        *file = view_upper(p->path);
    return failed;
}

static int nameless(struct task *t, struct place *p, char **file)
{
    int failed = S_ISDIR(p->st.st_mode) ? view_copy_up(t, p, false) : -ENOTDIR;
    if (!failed)
        *file = view_upper(p->path);
    return failed;
}

static int choose(struct task *t, struct place *p, int flags, char **file)
{
    bool is_path = flags & O_PATH, writes = !is_path && (flags & O_TRUNC || (flags & O_ACCMODE) != O_RDONLY);
    bool is_nameless = !is_path && (flags & O_TMPFILE) == O_TMPFILE;
    if (p->layer == NOWHERE)
        return flags & O_CREAT && !is_path ? for_new(p, file) : -ENOENT;
    if (is_nameless)
        return nameless(t, p, file);
    if (!is_path && flags & O_CREAT && flags & O_EXCL)
        return -EEXIST;
    if (S_ISLNK(p->st.st_mode) && !p->is_magic && !is_path)
        return -ELOOP;
    if (flags & O_DIRECTORY && !S_ISDIR(p->st.st_mode))
        return -ENOTDIR;
    if (flags & O_CREAT && S_ISDIR(p->st.st_mode))
        return -EISDIR;
    if (writes && !p->is_magic)
        return for_writing(t, p, flags, file);
    if (!is_path && view_is_missing(p))
        return -ENOENT;
    *file = view_physical(p);
    return 0;
}

static int limits_of_openat2(struct task *t, const struct place *p, uint64_t resolve)
{
    if (resolve & RESOLVE_NO_SYMLINKS && p->links)
        return -ELOOP;
    if (resolve & RESOLVE_IN_ROOT)
        return -EAGAIN;                   /* callers then look for themselves */
    if (resolve & RESOLVE_BENEATH) {
        char *base = path_of_fd(t->tid, (int)t->args[0]);
        size_t n = base ? strlen(base) : 0;
        bool inside = base && !strncmp(p->path, base, n) && (p->path[n] == '/' || !p->path[n] || n == 1) && *t->path != '/';
        free(base);
        return inside ? 0 : -EXDEV;
    }
    return 0;
}

void live_open(struct task *t)
{
    struct place p;
    struct open_how how = {0};
    int flags = open_flags(t);
    char *file = NULL;
    if (arg_of(t->nr, REX_WORD_OPENHOW) >= 0)
        mem_read(t->tid, t->args[2], &how, sizeof how);
    bool creates_only = flags & O_CREAT && flags & O_EXCL && !(flags & O_PATH);
    int failed = live_find(t, !(flags & O_NOFOLLOW) && !creates_only, &p);
    if (!failed && how.resolve)
        failed = limits_of_openat2(t, &p, how.resolve);
    if (!failed)
        failed = choose(t, &p, flags, &file);
    if (failed) {
        live_answer(t, failed);
        return;
    }
    use_opened(t, &p);
    live_rewrite(t, REX_NR_openat, (uint64_t)AT_FDCWD, scratch_put(t, file, strlen(file) + 1),
                 (uint64_t)(p.is_magic ? flags & ~O_NOFOLLOW : flags), open_mode(t));
    free(file);
}

/* ------------------------------------------------------------------ directories, watches */

void live_chdir(struct task *t)
{
    struct place p;
    int failed = live_find_there(t, true, &p);
    if (!failed && !S_ISDIR(p.st.st_mode))
        failed = -ENOTDIR;
    if (failed) {
        live_answer(t, failed);
        return;
    }
    char *file = view_physical(&p);
    live_rewrite(t, REX_NR_chdir, scratch_put(t, file, strlen(file) + 1), 0, 0, 0);
    free(file);
}

/* What the run changes, it changes in the upper layer: that is watched. */
void live_watch(struct task *t)
{
    struct place p;
    int failed = live_find_there(t, true, &p);
    if (!failed && p.layer == MAPPED)
        failed = view_copy_up(t, &p, false);
    if (failed) {
        live_answer(t, failed);
        return;
    }
    char *file = p.layer == MAPPED ? view_upper(p.path) : view_physical(&p);
    live_rewrite(t, t->nr, t->args[0], scratch_put(t, file, strlen(file) + 1), t->args[2], 0);
    free(file);
}

/* ------------------------------------------------------------------ sockets */

static void use_address(const struct sockaddr_storage *a)
{
    char name[INET6_ADDRSTRLEN] = "";
    char *whole;
    if (a->ss_family == AF_INET) {
        const struct sockaddr_in *in = (const void *)a;
        inet_ntop(AF_INET, &in->sin_addr, name, sizeof name);
        whole = text("%s:%u", name, ntohs(in->sin_port));
    } else if (a->ss_family == AF_INET6) {
        const struct sockaddr_in6 *in = (const void *)a;
        inet_ntop(AF_INET6, &in->sin6_addr, name, sizeof name);
        whole = text("[%s]:%u", name, ntohs(in->sin6_port));
    } else
        return;
    live_use(LIVE_NETWORK, whole);
    free(whole);
}

/* Names of sockets are short: a link to the directory stands for it. */
static char *short_name(const char *file)
{
    static struct table links;
    char *parent = view_parent(file);
    char **link = (char **)table_at(&links, parent);
    if (!*link) {
        *link = text("%s/s%zu", plan.work, links.used);
        if (symlink(parent, *link))
            die("cannot make %s: %s", *link, strerror(errno));
    }
    char *result = text("%s%s", *link, strrchr(file, '/'));
    free(parent);
    return result;
}

static int socket_file(struct task *t, const char *path, char **file)
{
    struct place p;
    int failed = view_find(t, AT_FDCWD, path, true, &p);
    if (failed)
        return failed;
    if (t->nr == REX_NR_bind)
        return p.layer != NOWHERE ? -EADDRINUSE : for_new(&p, file);
    if (p.layer == NOWHERE)
        return -ENOENT;
    if (p.layer == LIVE)
        live_use(LIVE_NETWORK, p.path);
    *file = view_physical(&p);
    return 0;
}

/* connect, bind, sendto: an address that is a path is a path like others. */
void live_address(struct task *t)
{
    int arg = t->nr == REX_NR_sendto ? 4 : 1;
    union { struct sockaddr_storage any; struct sockaddr_un un; } a = {0};
    size_t n = (size_t)t->args[arg + 1];
    char *file = NULL;
    if (!t->args[arg] || n > sizeof a.any || n < sizeof(sa_family_t) || !mem_read(t->tid, t->args[arg], &a, n))
        return;
    if (a.any.ss_family != AF_UNIX || n == sizeof(sa_family_t) || !a.un.sun_path[0]) {
        use_address(&a.any);
        return;
    }
    char *path = strndup(a.un.sun_path, sizeof a.un.sun_path);
    int failed = socket_file(t, path, &file);
    char *name = file && strlen(file) >= sizeof a.un.sun_path ? short_name(file) : file;
    if (!failed && strlen(name) >= sizeof a.un.sun_path)
        failed = -ENAMETOOLONG;
    if (failed)
        live_answer(t, failed);
    else {
        memset(a.un.sun_path, 0, sizeof a.un.sun_path);
        strcpy(a.un.sun_path, name);
        struct user_regs_struct r = t->regs;
        uint64_t at = scratch_put(t, &a.un, sizeof a.un), size = offsetof(struct sockaddr_un, sun_path) + strlen(name) + 1;
        if (arg == 4) {
            r.r8 = at;
            r.r9 = size;
        } else {
            r.rsi = at;
            r.rdx = size;
        }
        live_rewritten(t, &r);
    }
    if (name != file)
        free(name);
    free(file);
    free(path);
}

/* getsockname, getpeername, accept: names as the program gave them. */
void live_address_exit(struct task *t, int64_t result)
{
    struct sockaddr_un a = {0};
    uint32_t n = 0;
    if (result < 0 || !t->args[1] || !t->args[2] || !mem_read(t->tid, t->args[2], &n, sizeof n)
        || n > sizeof a || n <= sizeof(sa_family_t) || !mem_read(t->tid, t->args[1], &a, n)
        || a.sun_family != AF_UNIX || *a.sun_path != '/')
        return;
    char *physical = strndup(a.sun_path, sizeof a.sun_path), *directory = view_parent(physical);
    char *real = realpath(directory, NULL), *whole = real ? view_join(real, strrchr(physical, '/') + 1) : NULL;
    char *path = whole ? view_logical(whole) : NULL;
    if (path && strlen(path) < sizeof a.sun_path && strcmp(path, physical)) {
        uint32_t size = (uint32_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path) + 1);
        strcpy(a.sun_path, path);
        mem_write(t->tid, t->args[1], &a, size < n ? size : n);
        mem_write(t->tid, t->args[2], &size, sizeof size);
    }
    free(physical);
    free(directory);
    free(real);
    free(whole);
    free(path);
}

/* From a path as a tracee gives it to a place of the view: component by component, through links. */
#include "base/base.h"
#include "live/internal.h"
#include "live/live.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

enum { MAX_LINKS = 40 };

/* ------------------------------------------------------------------ links */

/* /proc/<pid>/exe, cwd, root, fd/<n>: links that lead without their text. */
static bool is_magic(const char *path)
{
    if (strncmp(path, "/proc/", 6))
        return false;
    const char *p = strchr(path + 6, '/');
    if (p && !strncmp(p, "/task/", 6))
        p = strchr(p + 6, '/');
    return p && (!strcmp(p, "/exe") || !strcmp(p, "/cwd") || !strcmp(p, "/root") || !strncmp(p, "/fd/", 4));
}

static char *read_link(const char *file)
{
    char target[PATH_MAX];
    ssize_t n = readlink(file, target, sizeof target - 1);
    return n < 0 ? NULL : strndup(target, (size_t)n);
}

/* The text of a link, as the run is to see it. */
char *view_target(struct task *t, const struct place *p)
{
    if (!strcmp(p->path, "/proc/self"))
        return text("%d", t->leader->tid);
    if (!strcmp(p->path, "/proc/thread-self"))
        return text("%d/task/%d", t->leader->tid, t->tid);
    if (p->layer == MAPPED)
        return strdup(p->node->target);
    char *file = p->layer == UPPER ? view_upper(p->path) : strdup(p->path), *target = read_link(file);
    if (target && p->layer == LIVE && is_magic(p->path)) {
        char *logical = view_logical(target);
        free(target);
        target = logical;
    }
    free(file);
    return target;
}

/* A standard stream that we were given belongs to the caller, whatever file it is. */
static bool is_given(const char *link)
{
    struct stat st, own;
    for (int fd = 0; fd < 3 && !stat(link, &st); fd++)
        if (!fstat(fd, &own) && own.st_dev == st.st_dev && own.st_ino == st.st_ino)
            return true;
    return false;
}

/* Whether a magic link leads to what its text names; else only the kernel can follow it. */
static bool is_nameable(const char *link, const char *target)
{
    struct place there;
    if (is_given(link))
        return false;
    return *target == '/' && strncmp(target, "/memfd:", 7) && !view_look(target, &there) && there.layer != NOWHERE;
}

/* ------------------------------------------------------------------ resolution */

/* The rest of a path, with the target of a link before it. */
static char *behind(const char *target, const char *rest)
{
    return *rest ? text("%s/%s", target, rest) : strdup(target);
}

static int follow_link(struct task *t, struct place *p, char **left, char *done, bool *is_end)
{
    char *target = view_target(t, p);
    if (!target)
        return -ENOENT;
    *is_end = is_magic(p->path) && !is_nameable(p->path, target);
    if (*is_end) {
        struct stat st;
        p->is_magic = true;
        int failed = stat(p->path, &st) ? -errno : 0;
        p->st = st;
        free(target);
        return failed;
    }
    if (*target == '/')
        strcpy(done, "/");
    char *rest = behind(target, *left);
    free(*left);
    *left = rest;
    free(target);
    return strlen(rest) >= PATH_MAX ? -ENAMETOOLONG : 0;
}

static int walk(struct task *t, struct place *p, char *done, char **left, bool follow)
{
    p->links = 0;
    strcpy(p->path, done);
    int failed = view_look(done, p);
    while (!failed) {
        char *at = *left + strspn(*left, "/");
        if (!*at)
            return 0;
        size_t n = strcspn(at, "/");
        bool is_last = !at[n + strspn(at + n, "/")];
        bool is_directory = at[n] == '/';
        if (p->layer == NOWHERE)
            return -ENOENT;
        if (!S_ISDIR(p->st.st_mode))
            return -ENOTDIR;
        if (n > NAME_MAX || strlen(done) + n + 2 > PATH_MAX)
            return -ENAMETOOLONG;
        if (n == 2 && at[0] == '.' && at[1] == '.') {
            char *slash = strrchr(done, '/');
            slash[slash == done] = 0;
        } else if (n != 1 || *at != '.') {
            size_t length = strlen(done);
            snprintf(done + length, PATH_MAX - length, "%s%.*s", length > 1 ? "/" : "", (int)n, at);
        }
        char *rest = strdup(at + n);
        free(*left);
        *left = rest;
        strcpy(p->path, done);
        if ((failed = view_look(done, p)))
            return failed;
        if (p->layer != NOWHERE && S_ISLNK(p->st.st_mode) && (!is_last || follow || is_directory)) {
            bool is_end;
            if (++p->links > MAX_LINKS)
                return -ELOOP;
            char *slash = strrchr(done, '/');
            slash[slash == done] = 0;
            failed = follow_link(t, p, left, done, &is_end);
            if (failed)
                return failed;
            if (is_end)
                return is_last ? 0 : -ENOTDIR;
            strcpy(p->path, done);
            failed = view_look(done, p);
        } else if (is_last && is_directory && p->layer != NOWHERE && !S_ISDIR(p->st.st_mode))
            return -ENOTDIR;
    }
    return failed;
}

/* Finds a path of a tracee; 0 or -errno.  A last name that is not there is NOWHERE. */
int view_find(struct task *t, int dirfd, const char *path, bool follow, struct place *p)
{
    char done[PATH_MAX] = "/";
    memset(p, 0, sizeof *p);
    if (!path)
        return -EFAULT;
    if (!*path)
        return -ENOENT;
    if (strlen(path) >= PATH_MAX)
        return -ENAMETOOLONG;
    if (*path != '/') {
        char *base = path_of_fd(t->tid, dirfd);
        int failed = !base ? -EBADF : *base != '/' ? -ENOTDIR : strlen(base) >= PATH_MAX ? -ENAMETOOLONG
            : strlen(base) > 10 && !strcmp(base + strlen(base) - 10, " (deleted)") ? -ENOENT : 0;
        if (!failed)
            strcpy(done, base);
        free(base);
        if (failed)
            return failed;
    }
    char *left = strdup(path);
    int failed = walk(t, p, done, &left, follow);
    free(left);
    return failed;
}

/* Replay: opens of what has no name, or none any more: descriptors opened again by number, namespaces. */
#include "base/base.h"
#include "replay/files/internal.h"
#include "replay/index/index.h"
#include "replay/tasks/tasks.h"
#include "tracee/task.h"

/* Whose descriptors a name below /proc means. */
static pid_t owner_in(const struct task *t, const char *path)
{
    uint32_t number = 0;
    sscanf(path, "/proc/%u/", &number);
    const struct task *other = number ? task_named(number) : NULL;
    return other ? other->tid : t->tid;
}

/* A namespace, which the kernel calls by its kind and number ("mnt:[4026531841]"): whose it is does not matter, as none can be entered. */
static char *namespace_called(const char *resolved)
{
    char kind[16], number[24], *name;
    if (sscanf(resolved, "%15[a-z]:[%20[0-9]", kind, number) != 2)
        return NULL;
    name = text("/proc/self/ns/%s", kind);
    if (!access(name, F_OK))
        return name;
    free(name);                           /* of a pipe or socket */
    return NULL;
}

/* The substitute for it; NULL: it has a name. */
char *replay_nameless(struct task *t, const char *resolved)
{
    char *digits = t->path ? strstr(t->path, "/fd/") : NULL;
    bool nameless = *resolved != '/' || !strncmp(resolved, "/memfd:", 7) || replay_is_deleted(resolved);
    if (!nameless)
        return NULL;
    if (digits && (!strncmp(t->path, "/proc/", 6) || !strncmp(t->path, "/dev/fd/", 8)))
        return text("/proc/%d/fd/%s", owner_in(t, t->path), digits + 4);
    static const char *const names[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};
    for (int fd = 0; fd < 3 && t->path; fd++)
        if (!strcmp(t->path, names[fd]))
            return text("/proc/%d/fd/%d", t->tid, fd);
    return namespace_called(resolved);
}

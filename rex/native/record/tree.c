/* Record: changes of the directory tree. */
#include "base/base.h"
#include "log/log.h"
#include "record/internal.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <fcntl.h>

static bool makes_name(long nr)
{
    return op_of(nr) == REX_OP_MKDIR || op_of(nr) == REX_OP_SYMLINK || op_of(nr) == REX_OP_MKNOD;
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

/* Of a call that changes the directory tree. */
void record_resolve_names(struct task *t)
{
    struct record_state *s = record_state(t);
    struct name_args n = name_args(t->nr);
    free(s->resolved);
    free(s->resolved2);
    s->resolved2 = NULL;
    if (n.path < 0) {                 /* fchmod and its like */
        s->resolved = path_of_fd(t->tid, (int)t->args[0]);
        return;
    }
    s->resolved = resolve_one(t, n.dirfd, n.path, t->path, follows_last(t->nr, t->args));
    s->resolved2 = resolve_one(t, n.dirfd2, n.path2, t->path2, false);
}

void record_tree_entry(struct task *t)
{
    struct record_state *s = record_state(t);
    bool moves = op_of(t->nr) == REX_OP_RENAME;
    struct stat st;
    const char *made = makes_name(t->nr) ? s->resolved : s->resolved2;
    s->created = made && path_stat(made, &st, false);
    free(s->creating);
    s->creating = s->created ? strdup(made) : NULL;
    if (makes_name(t->nr))                /* where there is something already, it fails */
        return;
    if (s->resolved)
        record_before_change(s->resolved, moves);
    if (s->resolved2)
        record_before_change(s->resolved2, moves);
}

void record_tree_exit(struct task *t, struct bytes *b, int64_t result)
{
    struct record_state *s = record_state(t);
    struct name_args n = name_args(t->nr);
    uint8_t first = n.path >= 0 ? (uint8_t)n.path : 0;
    if (s->resolved)
        log_field(b, first, FIELD_RESOLVED, s->resolved, strlen(s->resolved));
    if (s->resolved2)
        log_field(b, (uint8_t)n.path2, FIELD_RESOLVED, s->resolved2, strlen(s->resolved2));
    hidden_kept_directory(t, result);
    if (result < 0)
        return;
    if (op_of(t->nr) == REX_OP_UNLINK || op_of(t->nr) == REX_OP_RENAME)
        record_name_gone();
    if (makes_name(t->nr) && s->resolved)
        record_created(s->resolved);
    else if (s->resolved)
        cause_found(t, s->resolved, s->moved);
    if (s->resolved2)
        record_created(s->resolved2);
    if (s->creating)
        cause_made(t, s->creating);
}

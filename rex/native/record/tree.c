/* Record: changes of the directory tree. */
#include "base/base.h"
#include "log/log.h"
#include "record/internal.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

static bool makes_name(long nr)
{
    return op_of(nr) == REX_OP_MKDIR || op_of(nr) == REX_OP_SYMLINK || op_of(nr) == REX_OP_MKNOD;
}

void record_tree_entry(struct task *t)
{
    bool moves = op_of(t->nr) == REX_OP_RENAME;
    struct stat st;
    const char *made = makes_name(t->nr) ? t->resolved : t->resolved2;
    t->created = made && path_stat(made, &st, false);
    free(t->creating);
    t->creating = t->created ? strdup(made) : NULL;
    if (makes_name(t->nr))                /* where there is something already, it fails */
        return;
    if (t->resolved)
        record_before_change(t->resolved, moves);
    if (t->resolved2)
        record_before_change(t->resolved2, moves);
}

void record_tree_exit(struct task *t, struct bytes *b, int64_t result)
{
    struct name_args n = name_args(t->nr);
    uint8_t first = n.path >= 0 ? (uint8_t)n.path : 0;
    if (t->resolved)
        log_field(b, first, FIELD_RESOLVED, t->resolved, strlen(t->resolved));
    if (t->resolved2)
        log_field(b, (uint8_t)n.path2, FIELD_RESOLVED, t->resolved2, strlen(t->resolved2));
    hidden_kept_directory(t, result);
    if (result < 0)
        return;
    if (op_of(t->nr) == REX_OP_UNLINK || op_of(t->nr) == REX_OP_RENAME)
        record_name_gone();
    if (makes_name(t->nr) && t->resolved)
        record_created(t->resolved);
    else if (t->resolved)
        cause_found(t, t->resolved, record_state(t)->moved);
    if (t->resolved2)
        record_created(t->resolved2);
    if (t->creating)
        cause_made(t, t->creating);
}

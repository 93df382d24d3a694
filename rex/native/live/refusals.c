/* Live: what the recorded experiment was refused, for want of rights, a new run is refused, whatever rights it has. */
#include "base/base.h"
#include "live/internal.h"
#include "live/live.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <fcntl.h>

/* What a call wants of its path, one letter each: to read, write or execute it, its name alone, to change the tree or its attributes. */
static const char *wants(struct task *t)
{
    static const char *const by_mode[8] = {"n", "x", "w", "wx", "r", "rx", "rw", "rwx"};
    int flags;
    switch (op_of(t->nr)) {
    case REX_OP_OPEN:
        flags = open_flags(t);
        return flags & O_PATH ? "n" : (flags & O_ACCMODE) == O_RDONLY ? flags & O_TRUNC ? "rw" : "r"
            : (flags & O_ACCMODE) == O_WRONLY ? "w" : "rw";
    case REX_OP_ACCESS:
        return by_mode[t->args[arg_of(t->nr, REX_WORD_ACCESS)] & 7];
    case REX_OP_EXEC:
        return "x";
    case REX_OP_STAT: case REX_OP_READLINK:
        return "n";
    case REX_OP_TRUNCATE:
        return "w";
    case REX_OP_MKDIR: case REX_OP_MKNOD: case REX_OP_SYMLINK: case REX_OP_UNLINK: case REX_OP_RMDIR: case REX_OP_LINK: case REX_OP_RENAME:
        return "t";
    default:
        return t->nr == REX_NR_chdir ? "x" : t->nr == REX_NR_statfs ? "n" : "a";
    }
}

/* 0 or -errno: as the recorded experiment was refused at this path, unless the run itself made what is there. */
int live_refusal(struct task *t, const struct place *p)
{
    if (!view->world->refused.used || p->layer == UPPER)
        return 0;
    for (const char *each = wants(t); *each; each++) {
        char *key = text("%c%s", *each, p->path);
        const void *code = table_get(&view->world->refused, key);
        free(key);
        if (code)
            return -(int)(intptr_t)code;
    }
    return 0;
}

/* Record: an event comes after those that caused it.
 *
 * The log has a call once it has returned.  Others may have what it sends, and act on it, before that.  So a call that sends
 * keeps the place in the log where it began.  A change of the directory tree gets its place as soon as something is found there that
 * it has made: what others found before, they found without it. */
#include "base/base.h"
#include "log/log.h"
#include "mode/mode.h"
#include "record/internal.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

static unsigned changing;                /* tasks in a call that changes the tree */

static void set_changes(struct task *t, bool changes)
{
    changing += changes;
    changing -= record_state(t)->changes;
    record_state(t)->changes = changes;
}

static bool sends(struct task *t)
{
    return t->stream && !is_ordered_write(t) && (pipe_gives(t->nr) || t->nr == REX_NR_sendmmsg || t->nr == REX_NR_connect);
}

static ino_t moved_by(const struct task *t)
{
    struct stat st;
    bool moves = op_of(t->nr) == REX_OP_RENAME || op_of(t->nr) == REX_OP_LINK;
    return moves && t->resolved && !path_stat(t->resolved, &st, false) ? st.st_ino : 0;
}

void cause_begins(struct task *t)
{
    enum rex_hook hook = call_of(t->nr)->hook;
    if (is_serialized())
        return;
    if (hook == REX_HOOK_TREE)
        record_state(t)->moved = moved_by(t);
    set_changes(t, hook == REX_HOOK_TREE || (hook == REX_HOOK_OPEN && t->created));
    if (sends(t))
        log_keep_place(&record_state(t)->place);
}

/* Its event is in the log, or will not come. */
void cause_ends(struct task *t)
{
    set_changes(t, false);
    log_drop_place(&record_state(t)->place);
}

static bool is_at_or_below(const char *path, const char *name)
{
    size_t n = strlen(name);
    return !strncmp(path, name, n) && (!path[n] || path[n] == '/');
}

static bool is_removed_by(const struct task *t, const char *path)
{
    enum rex_op op = op_of(t->nr);
    return (op == REX_OP_UNLINK || op == REX_OP_RMDIR || op == REX_OP_RENAME) && t->resolved && !strcmp(t->resolved, path);
}

static bool is_moved_by(const struct task *t, const char *path, ino_t ino)
{
    return ino && record_state(t)->moved == ino && t->resolved2 && !strcmp(t->resolved2, path);
}

static void find_causes(const struct task *t, const char *path, ino_t ino, bool is_new)
{
    for (struct task *other = changing ? tasks : NULL; other; other = other->next) {
        const struct record_state *s = record_state(other);
        if (other == t || !other->alive || !s->changes || s->place.is_kept)
            continue;
        if ((other->creating && is_at_or_below(path, other->creating)) || is_moved_by(other, path, ino) || (is_new && is_removed_by(other, path)))
            log_keep_place(&record_state(other)->place);
    }
}

void cause_found(const struct task *t, const char *path, ino_t ino)
{
    find_causes(t, path, ino, false);
}

void cause_made(const struct task *t, const char *path)
{
    find_causes(t, path, 0, true);
}

/* Record: an event comes after those that caused it.
 *
 * The log has a call once it has returned.  Others may have what it sends, and act on it, before that.  So a call that sends
 * keeps the place in the log where it began.  A change of the directory tree gets its place as soon as something is found there that
 * it has made: what others found before, they found without it.
 *
 * While a call takes a name away, opens of other processes stop: one that a process makes without a stop is noted some time later,
 * and by then nobody knows whether it found the old file. */
#include "base/base.h"
#include "fastpath/fastpath.h"
#include "log/log.h"
#include "mode/mode.h"
#include "record/internal.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

static unsigned changing, removing;      /* tasks in a call that changes the tree; that takes a name away */
static uint64_t changed;                 /* such calls that have returned */

/* The last of them whose events are in the log: what has a name by them, and where that is so in the log. */
enum { REMEMBERED = 8 };
static struct named { ino_t ino; struct log_place behind; } named[REMEMBERED];
static unsigned last_named;

void cause_limit(struct task *t)
{
    fast_ring_limit(t, !removing && !record_state(t)->deferred);
}

static void set_changes(struct task *t, bool changes)
{
    changing += changes;
    changing -= record_state(t)->changes;
    record_state(t)->changes = changes;
}

static bool removes(const struct task *t)
{
    enum rex_op op = op_of(t->nr);
    return op == REX_OP_UNLINK || op == REX_OP_RMDIR || op == REX_OP_RENAME;
}

/* What others have opened by now is in the log, and what they open next will be in its place. */
static void removal_begins(struct task *t)
{
    removing++;
    record_state(t)->removes = true;
    for (struct task *other = tasks; other; other = other->next)
        if (other->alive && other->ring && other->space != t->space) {
            cause_limit(other);
            fast_settle(other);
        }
}

static void removal_ends(struct task *t)
{
    record_state(t)->removes = false;
    if (!--removing)
        for (struct task *other = tasks; other; other = other->next)
            if (other->alive)
                cause_limit(other);
}

static bool sends(struct task *t)
{
    return t->stream && !is_ordered_write(t) && (pipe_gives(t->nr) || t->nr == REX_NR_sendmmsg || t->nr == REX_NR_connect);
}

static ino_t moved_by(const struct task *t)
{
    struct stat st;
    bool moves = op_of(t->nr) == REX_OP_RENAME || op_of(t->nr) == REX_OP_LINK;
    return moves && record_state(t)->resolved && !path_stat(record_state(t)->resolved, &st, false) ? st.st_ino : 0;
}

void cause_begins(struct task *t)
{
    enum rex_hook hook = call_of(t->nr)->hook;
    if (is_serialized())
        return;
    record_state(t)->moved = moved_by(t);
    set_changes(t, hook == REX_HOOK_TREE || (hook == REX_HOOK_OPEN && record_state(t)->created));
    record_state(t)->changed = changed;
    if (removes(t))
        removal_begins(t);
    if (sends(t) || (hook == REX_HOOK_OPEN && !record_state(t)->created))
        log_keep_place(&record_state(t)->place);
}

/* The call has returned.  What others found meanwhile without a stop may have come before what it changed, or after. */
void cause_returns(struct task *t)
{
    if (!record_state(t)->changes)
        return;
    changed++;
    fast_sync_others(t);
}

/* Only for calls that keep a place. */
static bool is_awaited(void)
{
    const struct task *t = tasks;
    while (t && !(t->alive && record_state(t)->place.is_kept))
        t = t->next;
    return t;
}

void cause_logged(struct task *t)
{
    const struct record_state *s = record_state(t);
    bool awaited = s->changes && is_awaited();
    if (awaited && s->moved) {
        struct named *n = &named[last_named++ % REMEMBERED];
        n->ino = s->moved;
        log_keep_behind(&n->behind, &s->place);
    }
    for (int i = 0; s->changes && !awaited && i < REMEMBERED; i++)
        log_drop_place(&named[i].behind);
    cause_ends(t);
}

/* Its event is in the log, or will not come. */
void cause_ends(struct task *t)
{
    set_changes(t, false);
    if (record_state(t)->removes)
        removal_ends(t);
    log_drop_place(&record_state(t)->place);
}

static bool is_at_or_below(const char *path, const char *name)
{
    size_t n = strlen(name);
    return !strncmp(path, name, n) && (!path[n] || path[n] == '/');
}

static bool is_removed_by(const struct task *t, const char *path)
{
    return removes(t) && record_state(t)->resolved && !strcmp(record_state(t)->resolved, path);
}

static bool is_moved_by(const struct task *t, const char *path, ino_t ino)
{
    return ino && record_state(t)->moved == ino && record_state(t)->resolved2 && !strcmp(record_state(t)->resolved2, path);
}

static void find_causes(const struct task *t, const char *path, ino_t ino, bool is_new)
{
    for (struct task *other = changing ? tasks : NULL; other; other = other->next) {
        const struct record_state *s = record_state(other);
        if (other == t || !other->alive || !s->changes || s->place.is_kept)
            continue;
        if ((s->creating && is_at_or_below(path, s->creating)) || is_moved_by(other, path, ino) || (is_new && is_removed_by(other, path)))
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

/* An open found what another call has replaced or removed since: it keeps the place where it began, or where what it
 * found has its name, whichever is later. */
static bool is_gone(const struct task *t, const char *path, ino_t ino)
{
    struct stat st;
    return (changing || record_state(t)->changed != changed) && (path_stat(path, &st, true) || st.st_ino != ino);
}

static void place_behind_name(struct log_place *place, ino_t ino)
{
    for (int i = 0; i < REMEMBERED; i++)
        if (named[i].behind.is_kept && named[i].ino == ino && named[i].behind.at > place->at)
            log_keep_behind(place, &named[i].behind);
}

void cause_opened(struct task *t, const char *path, ino_t ino)
{
    if (record_state(t)->created) {
        record_state(t)->moved = ino;
        cause_made(t, path);
        return;
    }
    if (is_gone(t, path, ino))
        place_behind_name(&record_state(t)->place, ino);
    else
        log_drop_place(&record_state(t)->place);
    cause_found(t, path, ino);
}

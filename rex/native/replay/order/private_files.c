/* Replay: changes of the tree that no other process can see, or only some.
 *
 * Changes of names keep their order between processes.  A file whose name only one process uses, in a directory
 * that no other lists or changes, is private.  To wait for it could last for ever, as threads that do each
 * other's work make such files in another order, or by other names.  A process that never sees a file need not wait for it if a third
 * does, such as one that removes everything at the end.  Names are compared by their last component, since the log has
 * the name of a query as the program gave it. */
#include "base/base.h"
#include "log/log.h"
#include "replay/index/index.h"
#include "replay/order/internal.h"
#include "syscalls/syscalls.h"

#include <sys/socket.h>

#include <sys/un.h>

/* Which process says that name, lists or changes that directory, or `many`; and a bit for each such, which some have in common. */
struct users { const struct task_log *one; uint64_t bits; };
static struct table names, directories;
static const struct task_log many;

static uint64_t bit_of(const struct task_log *leader)
{
    return 1ULL << leader->index % 64;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void note_user(void **slot, const struct task_log *who)
{
    struct users *u = *slot = *slot ? *slot : zalloc(sizeof *u);
    u->one = !u->one || u->one == who ? who : &many;
    u->bits |= who == &many ? ~0ULL : bit_of(who);
}

/* What makes, moves and removes files, and whether other processes can see it: the names. */
static void note_name(const struct record *r)
{
    for (const struct field *f = field_next(r, NULL); f; f = field_next(r, f))
        if (f->type == FIELD_RESOLVED) {
            char *path = strndup((const char *)f->data, f->length);
            note_user(table_at(&names, last_part(path)), task_log_leader(r->task));
            free(path);
        }
}

static void note_said(const char *path, const struct task_log *who)
{
    if (table_get(&names, last_part(path)))
        note_user(table_at(&names, last_part(path)), who);
}

/* A socket is connected to by its name, which is no path to the log. */
static void note_bound(const struct record *r)
{
    const struct field *f = record_field(r, 1, FIELD_IN);
    struct sockaddr_un a = {.sun_family = AF_UNSPEC};
    if (f)
        memcpy(&a, f->data, f->length < sizeof a ? f->length : sizeof a - 1);
    if (a.sun_family == AF_UNIX)
        note_said(a.sun_path, &many);
}

static void note_use(const struct record *r)
{
    const struct rex_call *c = call_of(r->call);
    if (!c || r->call == REX_NR_bind) {
        if (c)
            note_bound(r);
        return;
    }
    struct name_args n = name_args(r->call);
    bool lists = c->hook == REX_HOOK_OPEN && r->result >= 0 && replay_kind_of(r) == S_IFDIR;
    bool uses = lists || c->hook == REX_HOOK_TREE || c->hook == REX_HOOK_CHDIR;
    for (const struct field *f = n.path >= 0 || uses ? field_next(r, NULL) : NULL; f; f = field_next(r, f)) {
        bool is_given = f->type == FIELD_IN && (f->arg == n.path || f->arg == n.path2);
        if (!is_given && f->type != FIELD_RESOLVED)
            continue;
        char *path = strndup((const char *)f->data, f->length);
        note_said(path, task_log_leader(r->task));
        if (uses && f->type == FIELD_RESOLVED)
            note_user(table_at(&directories, path), task_log_leader(r->task));
        free(path);
    }
}

static void look(const struct table *users, const char *name, struct event *e)
{
    const struct users *u = table_get(users, name);
    e->seen_by |= u ? u->bits : 0;
    e->unseen = e->unseen && (!u || u->one == task_log_leader(e->record->task));
}

static void find_users(struct event *e)
{
    e->unseen = true;
    for (const struct field *f = field_next(e->record, NULL); f; f = field_next(e->record, f)) {
        char *path = f->type == FIELD_RESOLVED ? strndup((const char *)f->data, f->length) : NULL;
        if (path)
            look(&names, last_part(path), e);
        for (char *slash; path && (slash = strrchr(path, '/')) && slash > path; look(&directories, path, e))
            *slash = 0;
        free(path);
    }
}

static bool names_file(const struct event *e)
{
    const struct rex_call *c = call_of(e->record->call);
    return c && (c->hook == REX_HOOK_TREE || c->hook == REX_HOOK_OPEN);
}

void replay_unseen_start(struct event **ordered, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (names_file(ordered[i]))
            note_name(ordered[i]->record);
    for (size_t i = 0; names.used && i < event_count; i++)
        note_use(events[i].record);
    for (size_t i = 0; i < count; i++)
        if (names_file(ordered[i]))
            find_users(ordered[i]);
        else
            ordered[i]->seen_by = ~0ULL;
}

bool replay_are_seen(const struct event *one, const struct event *other)
{
    return one->seen_by & bit_of(task_log_leader(other->record->task)) && other->seen_by & bit_of(task_log_leader(one->record->task));
}

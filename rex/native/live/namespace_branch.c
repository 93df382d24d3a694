/* Branches of a live run: processes that were forked to go different ways.  Each has its own
 * view, with what it wrote in its own directory, and may go on in another world: other archived
 * files, those of another version.
 *
 * A process requests it by names that no program has (rex/cells/serving.py):
 *
 *   access("/.rex-cell/branch/DIRECTORY")   from now on what it writes goes there; the caller has copied
 *                                           what it had written before
 *   access("/.rex-cell/world/N")            from now on it sees the files of world N */
#include "base/base.h"
#include "live/internal.h"
#include "live/live.h"
#include "tracee/task.h"
#include "tracee/tracee.h"
#include "track/track.h"

static void copy_table(struct table *to, const struct table *from, void *value)
{
    for (size_t i = 0; i < from->size; i++)
        if (from->slot[i].key && from->slot[i].value)
            *table_at(to, from->slot[i].key) = value;
}

static struct view *view_copy(const struct view *from)
{
    struct view *v = zalloc(sizeof *v);
    v->world = from->world;
    v->outdir = from->outdir;
    copy_table(&v->uppers, &from->uppers, v);
    copy_table(&v->gone, &from->gone, v);
    v->next = views;
    return views = v;
}

static void use_view(struct task *t, struct view *v)
{
    for (struct task *each = tasks; each; each = each->next)
        if (each->leader == t->leader)
            live_state(each)->view = v;
    view = v;
}

/* Whether the call is one of those; then it is answered. */
bool view_border(struct task *t)
{
    if (!plan.world_count || !t->path || strncmp(t->path, BORDER, strlen(BORDER)))
        return false;
    const char *what = t->path + strlen(BORDER);
    if (!strncmp(what, "branch/", 7)) {
        struct view *v = view_copy(live_state(t)->view);
        v->outdir = strdup(what + 7);
        use_view(t, v);
    } else if (!strncmp(what, "world/", 6)) {
        size_t number = strtoul(what + 6, NULL, 10);
        if (number >= plan.world_count)
            return false;
        struct view *v = view_copy(live_state(t)->view);
        v->world = view_world(number);
        use_view(t, v);
    } else
        return false;
    live_answer(t, 0);
    return true;
}

/* Replay: what one process reads of a file that another writes.
 *
 * Data go to plain files without an event, as does the end of writing there.  Who reads them has learned that they are there in some way
 * that a replay may not need: what comes over connections is answered from the log.  So an opening for reading, or its execution, waits until
 * each process that had opened the file to write has done all that the log has of it by then. */
#include "base/base.h"
#include "log/log.h"
#include "mode/mode.h"
#include "replay/index/index.h"
#include "replay/order/internal.h"
#include "replay/order/order.h"
#include "syscalls/syscalls.h"
#include "tracee/tracee.h"

#include <fcntl.h>
#include <sched.h>

enum { MOST = 16 };                      /* writers of one file that are known: the last ones */

struct writing { uint32_t task; const struct event *opened; };
struct writers { struct writing item[MOST]; size_t count; };
/* What must have been done before an opening. */
struct awaited { uint32_t opening; uint32_t count; const struct event *item[MOST]; };

static struct table written;             /* by path: who has opened it to write */
static struct awaited *awaited;          /* by number */
static size_t awaited_count;

/* A file that the experiment changes, whose opens have an order; or an execution. */
static bool opens(const struct event *e)
{
    const struct rex_call *c = call_of(e->record->call);
    return (e->ordered && c && c->hook == REX_HOOK_OPEN) || replay_executes(e->record);
}

static bool writes(const struct record *r)
{
    return call_of(r->call)->hook == REX_HOOK_OPEN && (flags_in(r) & O_ACCMODE) != O_RDONLY;
}

/* A vfork is over when its child executes, which may wait for what the maker has written; the log has it before that. */
static bool lasts_until_exec(const struct record *r)
{
    const struct task_log *child = call_of(r->call) && call_of(r->call)->hook == REX_HOOK_FORK && r->result > 0 ? task_log_named((uint32_t)r->result) : NULL;
    return child && child->birth && child->birth->args[2] & CLONE_VFORK;
}

/* What is done in each replay.  Queries and openings come into the log later than they are made; of what threads do, who take each
 * other's work, what they say to others is certain. */
static bool is_certain(const struct record *r)
{
    const struct rex_call *c = call_of(r->call);
    if (task_log_leader(r->task)->has_threads || task_log_of(r->task)->memory_group)
        return c && pipe_gives(r->call) && r->result > 0 && replay_on_connection(r->stream);
    return c ? !c->query && c->hook != REX_HOOK_OPEN && !lasts_until_exec(r) : r->call == EVENT_EXIT;
}

static void note_writer(struct writers *w, const struct event *e)
{
    size_t i = 0;
    while (i < w->count && w->item[i].task != e->record->task)
        i++;
    if (i == MOST) {
        memmove(w->item, w->item + 1, (MOST - 1) * sizeof *w->item);
        i = MOST - 1;
    }
    w->count = i < w->count ? w->count : i + 1;
    w->item[i] = (struct writing){e->record->task, e};
}

static void note_reader(const struct writers *w, const struct event *e, const struct event *const *last)
{
    struct awaited a = {.opening = e->number};
    for (size_t i = 0; i < w->count; i++) {
        const struct event *done = last[w->item[i].task];
        if (done && done->number > w->item[i].opened->number && task_log_leader(w->item[i].task) != task_log_leader(e->record->task))
            a.item[a.count++] = done;
    }
    if (!a.count)
        return;
    awaited = grow(awaited, awaited_count, sizeof *awaited);
    awaited[awaited_count++] = a;
}

void replay_written_start(void)
{
    const struct event **last = zalloc((task_log_total() + 1) * sizeof *last);
    for (size_t i = 0; i < event_count && !is_serialized(); i++) {
        const struct event *e = &events[i];
        char *path = opens(e) ? record_text(e->record, FIELD_WHOLE, FIELD_RESOLVED) : NULL;
        if (path && writes(e->record)) {
            struct writers **w = (struct writers **)table_at(&written, path);
            *w = *w ? *w : zalloc(sizeof **w);
            note_writer(*w, e);
        } else if (path && table_get(&written, path))
            note_reader(table_get(&written, path), e, last);
        free(path);
        if (is_certain(e->record))
            last[e->record->task] = e;
    }
    free(last);
}

static int by_opening(const void *number, const void *a)
{
    uint32_t one = *(const uint32_t *)number, other = ((const struct awaited *)a)->opening;
    return (one > other) - (one < other);
}

bool replay_is_written(const struct event *e)
{
    const struct awaited *a = awaited_count ? bsearch(&e->number, awaited, awaited_count, sizeof *awaited, by_opening) : NULL;
    for (size_t i = 0; a && i < a->count; i++)
        if (!a->item[i]->done)
            return false;
    return true;
}

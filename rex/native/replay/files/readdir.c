/* Replay: names in directories that sibling threads list.
 *
 * A listing belongs to the open that made its descriptor, whichever thread opens it now.  Mostly the thread that opened it reads it, but
 * Go's runtime may move a read to another thread half way through. */
#include "base/base.h"
#include "log/log.h"
#include "replay/files/files.h"
#include "replay/files/internal.h"
#include "replay/index/index.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <dirent.h>

/* Substitutes for the directories that sibling threads have open, by process and name.  Each open has its own, so that a
 * copy of its descriptor identifies it. */
static struct table standing;

char *replay_directory(const struct task *t)
{
    enum { MOST = 4096 };
    static unsigned count;
    if (!has_shared_work(t))
        return strdup(plan.empty);
    char *path = text("%s/directory%u", plan.work, count++ % MOST);
    mkdir(path, 0755);                    /* or it is there, for one that has been closed since */
    return path;
}

void replay_note_directory(struct task *t, int fd)
{
    struct opened **o = (struct opened **)table_at_file(&standing, t->leader->index, file_state(t)->opening);
    *o = *o ? *o : zalloc(sizeof **o);
    **o = t->files->opened[fd];
}

struct opened *replay_directory_open(struct task *t, int fd)
{
    uint64_t file = has_shared_work(t) && standing.used ? file_of_fd(t->tid, fd) : 0;
    return file ? *(struct opened **)table_at_file(&standing, t->leader->index, file) : NULL;
}

/* Of the log, by the open that they belong to, in their order. */
static struct listing { const struct event *open; struct event *listing; } *listings;
static size_t listing_count;

struct opening { const struct event *open; bool has_ended; };

static bool goes_on(const struct opening *o)
{
    return o && !o->has_ended && replay_kind_of(o->open->record) == S_IFDIR;
}

static int by_open(const void *a, const void *b)
{
    const struct listing *one = a, *two = b;
    uint32_t x[2] = {one->open->number, two->open->number};
    if (x[0] == x[1]) {
        x[0] = one->listing->number;
        x[1] = two->listing->number;
    }
    return (x[0] > x[1]) - (x[0] < x[1]);
}

/* Of the directory itself, where a listing begins; 0: it does not begin here. */
static uint64_t inode_in(const struct record *r)
{
    const struct field *f = r->call == REX_NR_getdents64 ? record_field(r, 1, FIELD_OUT) : NULL;
    struct dirent64 entry;
    uint64_t inode = 0;
    for (size_t at = 0; f && f->length >= at + sizeof entry.d_ino + offsetof(struct dirent64, d_name) && !inode; at += entry.d_reclen) {
        memcpy(&entry, f->data + at, offsetof(struct dirent64, d_name));
        if (!entry.d_reclen || entry.d_reclen > f->length - at)
            break;
        inode = !strcmp((const char *)f->data + at + offsetof(struct dirent64, d_name), ".") ? entry.d_ino : 0;
    }
    return inode;
}

static bool is_of(const struct opening *o, uint64_t inode)
{
    const struct field *f = o ? record_field(o->open->record, FIELD_WHOLE, FIELD_STAT) : NULL;
    struct stat st;
    if (!f || f->length < sizeof st)
        return false;
    memcpy(&st, f->data, sizeof st);
    return st.st_ino == inode;
}

/* What opened the directory that is listed.  The order of what two threads did may not be exact in the log: the own open
 * comes first, unless its listing has ended.  A descriptor that no open has made for this is a duplicate: of the directory
 * that begins with this one's own number; without one, of that which the thread opened last. */
static struct opening *opening_of(const struct record *r, struct opening **own, struct opening **any, struct opening *last)
{
    uint64_t inode = inode_in(r);
    struct opening *of[] = {*own, *any, last};
    for (int ended = 0; inode && ended < 2; ended++)
        for (int i = 0; i < 3; i++)
            if (is_of(of[i], inode) && (ended || goes_on(of[i])))
                return *own = *any = of[i];
    struct opening *o = *own && (goes_on(*own) || !goes_on(*any)) ? *own : *any;
    return !goes_on(o) && goes_on(last) ? last : o;
}

static void find_listings(void)
{
    struct table by_task = {0}, by_process = {0};
    struct opening **last = zalloc((task_log_total() + 1) * sizeof *last);
    for (size_t i = 0; i < event_count; i++) {
        const struct record *r = events[i].record;
        const struct rex_call *c = call_of(r->call);
        bool opens = c && c->hook == REX_HOOK_OPEN;
        if (r->result < 0 || !(opens || lists_directory(r->call)))
            continue;
        uint64_t fd = (uint64_t)(opens ? r->result : (int64_t)(int)r->args[0]);
        struct opening **own = (struct opening **)table_at_file(&by_task, r->task, fd);
        struct opening **any = (struct opening **)table_at_file(&by_process, task_log_of(r->task)->tgid, fd);
        if (opens) {
            *own = *any = zalloc(sizeof **own);
            (*own)->open = &events[i];
            last[r->task] = replay_kind_of(r) == S_IFDIR ? *own : last[r->task];
            continue;
        }
        struct opening *of = opening_of(r, own, any, last[r->task]);
        if (!of)
            continue;
        listings = grow(listings, listing_count, sizeof *listings);
        listings[listing_count++] = (struct listing){of->open, &events[i]};
        of->has_ended |= r->result == 0;
    }
    free(last);
    if (listing_count)
        qsort(listings, listing_count, sizeof *listings, by_open);
}

static size_t first_of(const struct event *open)
{
    size_t low = 0;
    for (size_t high = listing_count; low < high; ) {
        size_t middle = (low + high) / 2;
        if (listings[middle].open->number < open->number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* What the log has next of the open that made this descriptor; of one that the log has no more of, all once more.
 * NULL: it is matched as others are. */
struct event *replay_listing(struct task *t)
{
    static bool found;
    struct opened *o = replay_opened(t, (int)t->args[0]);
    if (!o || !o->event || !has_shared_work(t))
        return NULL;
    if (!found)
        find_listings();
    found = true;
    struct event *e = NULL;
    size_t skip = o->again ? o->listed++ : 0;
    for (size_t i = first_of(o->event); i < listing_count && listings[i].open == o->event; i++) {
        e = listings[i].listing;          /* the last after its end, too, for it may be read again from the beginning */
        if (o->again ? skip-- == 0 : !e->done)
            break;
    }
    return e;
}

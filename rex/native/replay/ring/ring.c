/* Replay: which answers a task has taken from its ring, also since it stopped last. */
#include "base/base.h"
#include "fastpath/area.h"
#include "replay/index/index.h"
#include "replay/ring/ring.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

struct laid *laid(const struct task *t)
{
    return module_state(t, RING_STATE, sizeof(struct laid));
}

/* Threads may have closed the descriptor meanwhile, and opened another. */
static bool is_still(struct task *t, const struct event *e, int fd)
{
    struct stat now, file;
    return t->files->refs == 1
        || (stat_of_fd(t->tid, fd, &now) && !stat(e->file, &file) && now.st_ino == file.st_ino && now.st_dev == file.st_dev);
}

void ring_note_open(struct task *t, const struct ahead *a)
{
    struct event *e = a->event;
    if (e->record->call != REX_NR_openat || !e->file || !is_still(t, e, a->result))
        return;
    files_set(t->files, a->result, 0);
    files_open(t->files, a->result, e, hash_bytes(e->file, strlen(e->file), 0));
}

/* Marks which of the answers in its ring a task has taken: none after those that the first n bytes begin, whose number is returned. */
size_t ring_mark_taken(const struct task *t, uint32_t n)
{
    struct laid *l = laid(t);
    static unsigned char run[RING_SIZE];
    size_t i = 0;
    if (!l->has_order && (n > sizeof run || !mem_read(t->tid, t->ring + offsetof(struct ring, data), run, n)))
        return 0;
    for (uint32_t at = 0; i < l->count && at < n && n - at >= l->run[i].first; at += l->run[i++].size) {
        const struct record *r = l->has_order ? l->run[i].event->record : (const struct record *)(run + at);
        l->run[i].is_taken = l->has_order || r->flags;
        l->run[i].result = (int)r->result;
    }
    return i;
}

/* Those that it has taken since it stopped last. */
static size_t count_taken(const struct task *t)
{
    const struct laid *l = laid(t);
    uint32_t taken = 0;
    return t->ring && l->count && mem_read(t->tid, t->ring, &taken, sizeof taken) ? ring_mark_taken(t, taken) : 0;
}

/* What other threads have opened from their rings, though they have not stopped since. */
void replay_note_opens(struct task *t)
{
    for (struct task *other = t->files->refs > 1 ? tasks : NULL; other; other = other->next)
        for (size_t i = 0, n = other->alive && other != t && other->files == t->files ? count_taken(other) : 0; i < n; i++)
            if (laid(other)->run[i].is_taken)
                ring_note_open(other, &laid(other)->run[i]);
}

/* As replay_place(), also of a task that has not stopped since it took answers from its ring. */
size_t replay_place_by_ring(struct task *t)
{
    const struct laid *l = laid(t);
    size_t n = count_taken(t), place = replay_place(t), after = n ? task_log_place(t->task_log, l->run[n - 1].event) + 1 : 0;
    return after > place ? after : place;
}

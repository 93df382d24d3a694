/* Replay: answers that are laid into a task's ring ahead of its calls, which then need no stop. */
#include "base/base.h"
#include "cpu/cpu.h"
#include "fastpath/area.h"
#include "fastpath/fastpath.h"
#include "log/log.h"
#include "log/repeats.h"
#include "replay/clock/clock.h"
#include "replay/files/files.h"
#include "replay/index/index.h"
#include "replay/match/match.h"
#include "replay/order/order.h"
#include "replay/regime/regime.h"
#include "replay/replay.h"
#include "replay/ring/ring.h"
#include "replay/send/send.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <fcntl.h>

static bool is_removal(const struct record *r)
{
    return op_of(r->call) == REX_OP_UNLINK || op_of(r->call) == REX_OP_RMDIR;
}

/* A change that needs no stop: see fastpath/stub_change.h. */
static bool is_change(const struct record *r)
{
    enum rex_op op = op_of(r->call);
    return is_removal(r) || op == REX_OP_CHMOD || op == REX_OP_CHOWN || op == REX_OP_UTIME || op == REX_OP_SETXATTR || (op == REX_OP_MKDIR && r->result < 0);
}

void replay_taken(struct task *t, const unsigned char *records, uint32_t n)
{
    struct laid *l = laid(t);
    (void)records;
    for (size_t i = 0, count = ring_mark_taken(t, n); i < count; i++) {
        struct event *e = l->run[i].event;
        uint32_t size = n < l->run[i].size ? n : l->run[i].size;
        const struct rex_call *c = call_of(e->record->call);
        n -= size;
        if (!l->run[i].is_taken)
            continue;
        if (c && c->key == REX_KEY_PATH)
            replay_did(t, e->key);
        ring_note_open(t, &l->run[i]);
        if (e->record->result >= 0 && e->record->call == REX_NR_openat)
            replay_finish_open(t, e, l->run[i].result);
        if (e->record->result >= 0 && is_change(e->record))
            overlay_finish_change(e->record, e->file);
        if (size > l->run[i].first)
            replay_took(e, (size - l->run[i].first) / (uint32_t)sizeof(uint64_t));    /* up to the last of them, which the task has */
        replay_answered(t, e);
    }
    l->count = 0;
}

/* The record, as the stub needs it: of an event that has a file, what the program gave, and that file's name. */
static void add_record(struct bytes *run, const struct event *e)
{
    bytes_add(run, e->record, e->file ? sizeof *e->record : e->record->size);
    for (const struct field *f = e->file ? field_next(e->record, NULL) : NULL; f; f = field_next(e->record, f))
        if (f->type == FIELD_IN)
            log_field(run, f->arg, f->type, f->data, f->length);
    if (e->file)
        log_field(run, FIELD_WHOLE, FIELD_STAND_IN, e->file, strlen(e->file) + 1);
}

/* Lays an event into the run: its record, and a word for each call after the first.
 * spared: its last call is to stop.  False: some of it does not lie there. */
static bool lay(struct task *t, struct bytes *run, struct event *e, bool spared)
{
    struct laid *l = laid(t);
    enum { ROOM = sizeof ((struct ring *)0)->data };
    size_t at = run->used, n = 0;
    bool all = true;
    add_record(run, e);
    uint32_t first = ((struct record *)(run->data + at))->size = (uint32_t)(run->used - at);
    ((struct record *)(run->data + at))->flags = 0;          /* not taken */
    if (e->repeats) {
        size_t room = ROOM - run->used;
        n = repeats_words(e->repeats, (uint64_t *)bytes_reserve(run, room), room / sizeof(uint64_t), &all);
    }
    if (all && spared && !n) {
        run->used = at;
        return false;
    }
    n -= all && spared;
    run->used += n * sizeof(uint64_t);
    l->run[l->count++] = (struct ahead){.event = e, .first = first, .size = (uint32_t)(run->used - at)};
    return all && !spared;
}

/* What goes out, and is followed by something else of its task before others wait for it. */
static bool is_speech(const struct task *t, const struct event *e, const struct event *next)
{
    const struct record *r = e->record;
    return r->call == REX_NR_write && is_output(r->stream) && r->result > 0 && r->result <= LONGEST_SAID && r->result == (int64_t)r->args[2]
        && !e->done && !e->written && !has_shared_work(t) && next->number < replay_others_next(t);
}

/* A change, or an opening of what the experiment changes: others have changed it as they are to by then, and none of them waits for
 * this, as what the task does next comes before their next. */
static bool is_in_turn(const struct task *t, const struct event *e, const struct event *next)
{
    return (e->record->call == REX_NR_openat || is_change(e->record)) && !has_shared_work(t) && (e->unseen || next->number < replay_others_next(t)) && replay_is_written(e);
}

/* The last event of the run that has to do with that file. */
static const struct event *last_of(const struct laid *l, const char *file)
{
    size_t i = l->count;
    while (i && !(l->run[i - 1].event->file && !strcmp(l->run[i - 1].event->file, file)))
        i--;
    return i ? l->run[i - 1].event : NULL;
}

/* The file is there once the task comes to the event; what it removes before is removed only at its next stop. */
static bool is_there_then(const struct task *t, const struct event *e)
{
    const struct event *last = last_of(laid(t), e->file);
    if (last)
        return !is_removal(last->record);
    return e->record->call == REX_NR_openat || is_removal(e->record) || overlay_has(e->file);
}

static char *file_of(const struct task *t, const struct event *e)
{
    if (is_change(e->record))
        return overlay_changed(e->record);
    char *file = replay_stands_in(e->record, e->ordered);
    return file || has_shared_work(t) ? file : replay_writes_to(e->record);
}

/* The substitute for a file that nothing changes stays the same. */
static void look_up(const struct task *t, struct event *e)
{
    if (e->looked_up && !e->ordered)
        return;
    free(e->file);
    e->looked_up = true;
    e->file = file_of(t, e);
    if (e->file && !is_there_then(t, e)) {
        free(e->file);
        e->file = NULL;
    }
}

/* Whether the event can be answered from the ring. */
static bool is_ready(const struct task *t, struct event *e, const struct event *next)
{
    const struct record *r = e->record;
    const struct rex_call *c = call_of(r->call);
    if (is_speech(t, e, next))
        return true;
    if (e->done || !c || (e->ordered && !is_in_turn(t, e, next)))
        return !e->done && r->call == EVENT_TSC && counter_has_sites(t);
    bool names_file = r->call == REX_NR_openat || (is_change(r) && !has_shared_work(t)), needs_file = names_file && r->result >= 0;
    if (needs_file)
        look_up(t, e);
    return c->query || (names_file && (!needs_file || e->file));
}

/* If a process without threads queries a file that threads wrote, it is answered at a stop: see replay/files/live_size.c. */
static bool asks_of_divided(struct task *t, struct event *e, bool by_path)
{
    const struct opened *o = by_path || !replay_divides() ? NULL : files_opened(t->files, (int)e->record->args[0]);
    char *path = o && o->event ? record_text(o->event->record, FIELD_WHOLE, FIELD_RESOLVED) : NULL;
    bool result = by_path ? replay_divides() && replay_is_of_changed(t, e) && e->change == IS_DIVIDED : replay_is_divided(path);
    free(path);
    return result;
}

/* Sibling threads may have done each other's parts.  Then the facts of a descriptor are known only if it was opened just before,
 * and a listing belongs to one open.  A file that the experiment changes is queried at that time.  A clock must not be behind what its thread has waited for. */
static bool is_sure(struct task *t, struct event *e)
{
    const struct record *r = e->record;
    const struct rex_call *c = call_of(r->call);
    if (!c || !c->nargs)
        return true;
    const struct field *path = c->key == REX_KEY_PATH ? record_field(r, c->key_arg, FIELD_IN) : NULL;
    bool by_path = path && path->length, by_fd = path || c->fd_args & 1;
    if (!has_shared_work(t))
        return !(by_path || by_fd) || r->call == REX_NR_openat || !asks_of_divided(t, e, by_path);
    if (by_path)
        return (r->call != REX_NR_openat || replay_kind_of(r) != S_IFDIR) && !replay_is_of_changed(t, e);
    if (r->call == REX_NR_clock_gettime)
        return !replay_clock_is_anyones(r) && (r->args[0] != CLOCK_MONOTONIC || clock_of(r) >= replay_clock_floor(t));
    const struct laid *l = laid(t);
    for (size_t i = l->count; by_fd && i-- > 0; )
        if (l->run[i].event->record->call == REX_NR_openat && l->run[i].event->record->result == (int64_t)(int)r->args[0])
            return true;
    return false;
}

/* Where its next queries begin: after the last that it has written. */
static size_t next_query(struct task *t)
{
    const struct task_log *s = t->task_log;
    const struct event *passed[] = {s->reached, s->said};
    size_t at = has_shared_work(t) ? 0 : replay_place(t);
    replay_next(t);
    at = s->cursor > at ? s->cursor : at;
    for (size_t i = 0; has_shared_work(t) && i < 2; i++) {
        size_t after = passed[i] ? task_log_place(s, passed[i]) + 1 : 0;
        at = after > at ? after : at;
    }
    return at;
}

/* Threads come to what they do in another order, or others do it: what is not laid is answered at a stop. */
static bool may_be_left_out(const struct event *e)
{
    const struct rex_call *c = call_of(e->record->call);
    return e->done || e->record->call == EVENT_TSC || (c && c->query);
}

/* What a thread may have of a descriptor goes by its open, and not by its number. */
static bool comes_next(const struct task *t, const struct event *e, uint32_t number)
{
    const struct field *path = record_field(e->record, 1, FIELD_IN);
    const struct rex_call *c = call_of(e->record->call);
    bool by_fd = c && c->query && (c->fd_args & 1 || (c->key == REX_KEY_PATH && path && !path->length));
    return by_fd || replay_comes_next(t, e, number);
}

/* Each random number is drawn once: which thread draws it shows at a stop (replay/match/random_bytes.c). */
static bool is_for_stops(const struct event *e)
{
    return e->repeats || e->record->call == REX_NR_getrandom || replay_clock_is_limit(e);
}

static bool is_answer(struct task *t, struct event *e, const struct event *next, uint32_t number)
{
    return is_ready(t, e, next) && !(has_shared_work(t) && is_for_stops(e)) && is_sure(t, e) && comes_next(t, e, number);
}

/* Who waits for what was laid learns of it at the task's next stop, which must come before the next of others. */
static bool keeps_others(const struct task *t, bool is_awaited, const struct event *next)
{
    return is_awaited && next->number > replay_others_next(t);
}

/* Queries that the task makes next, up to the last call before a signal, which must stop. */
void replay_ready(struct task *t)
{
    struct laid *l = laid(t);
    enum { FAR = 512 };
    static struct bytes run;
    static uint32_t number;
    struct task_log *s = t->task_log;
    run.used = l->count = 0;
    l->has_order = !has_shared_work(t);
    number++;
    bool is_awaited = false;
    uint32_t until = replay_alone_until(t);
    for (size_t from = next_query(t), i = from; i + 1 < s->count && s->event[i]->number <= until && (l->has_order || i < from + FAR); i++) {
        struct event *e = s->event[i];
        bool is_laid = is_answer(t, e, s->event[i + 1], number) && !keeps_others(t, is_awaited, s->event[i + 1]);
        if (!is_laid && !l->has_order && may_be_left_out(e))
            continue;
        if (!is_laid || run.used + e->record->size > RING_LARGEST || !lay(t, &run, e, s->event[i + 1]->record->call == EVENT_SIGNAL))
            break;
        e->run = number;
        is_awaited |= e->ordered && !e->unseen;
    }
    if (l->any || run.used)         /* what the task did not come for is answered by now */
        fast_fill(t, run.data, (uint32_t)run.used, l->has_order ? IN_ORDER : IN_ANY_ORDER);
    l->any = run.used > 0;
}

/* Replay: what goes out on the standard streams.
 *
 * A program that passes on what it reads from an inner pipe writes as much at a time as it has just read, which
 * is not in the log.  So the bytes count, not into how many writes they were divided: one that has less takes
 * its part of the event, one that has more is short, and comes again with the rest. */
#include "engine.h"
#include "queues.h"
#include "writers.h"

bool replay_is_output(uint32_t stream, long nr)
{
    return is_output(stream) && (nr == REX_NR_write || nr == REX_NR_writev);
}

static uint64_t part_of(const struct task *t, const struct event *e)
{
    uint64_t left = (uint64_t)e->record->result - e->told;
    return t->args[2] < left ? t->args[2] : left;
}

static bool is_same(struct task *t, const struct event *e, uint64_t n)
{
    const struct field *was = record_field(e->record, 1, FIELD_IN);
    struct bytes now = {0};
    bool same = !n || (was && e->told + n <= was->length && mem_read(t->tid, t->args[1], bytes_room(&now, n), n)
        && !memcmp(now.data, was->data + e->told, n));
    bytes_free(&now);
    return same;
}

static bool is_said(struct task *t, const struct event *e, bool in_parts)
{
    const struct record *r = e->record;
    if (t->nr != REX_NR_write)
        return compare_inputs(t, r);
    return (in_parts || (!e->told && r->result == (int64_t)t->args[2])) && is_same(t, e, part_of(t, e));
}

/* Which of several threads does a piece of work is up to them, and so is which says so: one that says what the log does not have
 * for it next has what it has for any.  own: what it has next, maybe nothing. */
struct event *replay_output_of(struct task *t, struct event *own, uint64_t key)
{
    enum { FAR = 64 };
    struct event *best = NULL;
    if (!replay_is_output(t->stream, t->nr) || !has_shared_work(t) || (own && is_said(t, own, true)))
        return own;
    for (uint32_t i = 0; i < script_total(); i++) {
        struct event *e = replay_is_mate(t, script_of(i)) ? queue_left(queue_at(queue_id(script_of(i), t->nr, key, 0)), PLAIN) : NULL;
        for (int k = 0; e && k < FAR && (!best || e->number < best->number); e = e->next[PLAIN], k++)
            if (!e->done && !(e->taker && e->taker != t && e->taker->matched == e) && is_said(t, e, false))
                best = e;
    }
    return best ? best : own;
}

/* Threads of a process are not ordered: what one said before may come after. */
static bool is_early(const struct event *e)
{
    static size_t head;
    while (head < event_count && (events[head].done || !replay_is_output(events[head].record->stream, events[head].record->call)))
        head++;
    for (size_t i = head; i < e->number; i++) {
        const struct event *other = &events[i];
        bool is_left = !other->done && other->record->stream == e->record->stream && replay_is_output(e->record->stream, other->record->call);
        if (is_left && !(other->taker && other->taker->matched == other && !other->taker->held))
            return true;
    }
    return false;
}

void replay_output(struct task *t, struct event *e)
{
    static bool is_other_order;
    t->want_exit = true;
    if (!is_other_order && has_shared_work(t) && is_early(e)) {
        is_other_order = true;
        replay_mismatch(e);
    }
    if (e->record->result < 0)
        replay_emulate(t, e);
    else if (t->nr != REX_NR_write) {
        if (!compare_inputs(t, e->record))
            replay_mismatch(e);
    } else {
        uint64_t n = part_of(t, e);
        if (!is_same(t, e, n)) {
            replay_mismatch(e);
            e->told = (uint32_t)((uint64_t)e->record->result - n);      /* nothing of it is left */
        }
        if (n < t->args[2])
            change_call(t, t->nr, t->args[0], t->args[1], n, 0);
    }
}

void replay_output_exit(struct task *t, struct event *e, int64_t result)
{
    uint64_t n = t->nr == REX_NR_write ? part_of(t, e) : (uint64_t)e->record->result;
    t->lost_reader = result == -EPIPE;    /* that nobody reads here is no affair of the program's */
    if (result < 0 && !t->lost_reader) {
        replay_diverged(t, e, "failed here");
        give_result(t, result);
        replay_done(e);
        return;
    }
    e->told += (uint32_t)n;
    give_result(t, (int64_t)n);
    if (e->told >= (uint64_t)e->record->result)
        replay_done(e);
}

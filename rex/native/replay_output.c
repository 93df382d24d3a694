/* Replay: what goes out on the standard streams.
 *
 * A program that passes on what it reads from an inner pipe writes as much at a time as it has just read, which
 * is not in the log.  So the bytes count, not into how many writes they were divided: one that has less takes
 * its part of the event, one that has more is short, and comes again with the rest. */
#include "engine.h"

bool replay_is_output(uint32_t stream, long nr)
{
    return (stream == 2 || stream == 3) && (nr == REX_NR_write || nr == REX_NR_writev);
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

void replay_output(struct task *t, struct event *e)
{
    t->want_exit = true;
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
    if (result < 0) {
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

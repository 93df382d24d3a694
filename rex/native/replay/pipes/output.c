/* Replay: what goes out on the standard streams.
 *
 * A program that passes on what it reads from an inner pipe writes as much at a time as it has just read, which
 * is not in the log.  So the bytes count, not into how many writes they were divided: one that has less takes
 * its part of the event, one that has more is made again with the rest, before the program goes on. */
#include "base/base.h"
#include "log/log.h"
#include "replay/index/index.h"
#include "replay/pipes/internal.h"
#include "replay/pipes/pipes.h"
#include "replay/rules/rules.h"
#include "replay/send/send.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

/* Older logs have those of length 0. */
void replay_output_start(void)
{
    for (size_t i = 0; i < event_count; i++)
        if (is_output(events[i].record->stream) && events[i].record->call == REX_NR_write && !events[i].record->result)
            replay_put_aside(&events[i]);
}

static uint64_t part_of(const struct task *t, const struct event *e)
{
    uint64_t left = (uint64_t)e->record->result - e->written;
    return t->args[2] < left ? t->args[2] : left;
}

static bool is_same(struct task *t, const struct event *e, uint64_t n)
{
    const struct field *was = record_field(e->record, 1, FIELD_IN);
    struct bytes now = {0};
    bool same = !n || (was && e->written + n <= was->length && mem_read(t->tid, t->args[1], bytes_reserve(&now, n), n)
        && !memcmp(now.data, was->data + e->written, n));
    bytes_free(&now);
    return same;
}

/* The bytes written are part of the event, or begin with it. */
static bool is_part(struct task *t, const struct event *e)
{
    return t->nr == REX_NR_write ? is_same(t, e, part_of(t, e)) : compare_inputs(t, e->record);
}

static bool is_whole(struct task *t, const struct event *e)
{
    return (t->nr != REX_NR_write || (!e->written && e->record->result == (int64_t)t->args[2])) && is_part(t, e);
}

/* The first unused event of the call among siblings, if it comes before best; what: a condition on its content, NULL = any. */
static struct event *first_of_siblings(struct task *t, uint64_t key, struct event *best, bool (*what)(struct task *t, const struct event *e))
{
    enum { FAR = 64 };
    for (uint32_t i = 0; i < task_log_total(); i++) {
        struct event *e = replay_is_sibling(t, task_log_of(i)) ? queue_left(queue_at(queue_id(task_log_of(i), t->nr, key, 0)), PLAIN) : NULL;
        for (int k = 0; e && k < FAR && (!best || e->number < best->number); e = e->next[PLAIN], k++)
            if (!replay_is_taken(t, e) && (!what || what(t, e)))
                best = e;
    }
    return best;
}

/* Which of several threads does a piece of work is up to them, and so is which says so: one that says what the log does not have
 * for it next, or has for another before, has what it has for any; or, of what is passed on in other parts, its part.  own: what
 * it has next, maybe nothing. */
struct event *replay_output_of(struct task *t, struct event *own, uint64_t key)
{
    if (!replay_is_output(t->stream, t->nr) || !has_shared_work(t))
        return own;
    if (own && is_part(t, own))
        return own->written ? own : first_of_siblings(t, key, own, is_whole);
    struct event *whole = first_of_siblings(t, key, NULL, is_whole), *first = whole ? whole : first_of_siblings(t, key, NULL, NULL);
    return first && is_part(t, first) ? first : own;
}

/* Threads of a process are not ordered: what one wrote before may come after. */
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
            e->written = (uint32_t)((uint64_t)e->record->result - n);      /* nothing of it is left */
        }
        if (n < t->args[2])
            change_call(t, t->nr, t->args[0], t->args[1], n, 0);
    }
}

static bool is_continued(const struct task *t)
{
    return pipe_state(t)->saying.said && pipe_state(t)->saying.stack == t->regs.rsp;
}

/* The write has its next part to come, each in its place of the log. */
static void say_rest(struct task *t, uint64_t n)
{
    if (!is_continued(t)) {
        pipe_state(t)->saying.said = 0;
        pipe_state(t)->saying.stack = t->regs.rsp;
        pipe_state(t)->saying.from = t->regs.rsi;
    }
    pipe_state(t)->saying.said += n;
    t->regs.rsi += n;
    t->regs.rdx -= n;
    rewind_call(t);
}

static void say_last(struct task *t, uint64_t n)
{
    if (is_continued(t)) {
        n += pipe_state(t)->saying.said;
        t->regs.rdx += pipe_state(t)->saying.said;
        t->regs.rsi = pipe_state(t)->saying.from;
        pipe_state(t)->saying.said = 0;
    }
    give_result(t, (int64_t)n);
}

static bool has_output_left(const struct task_log *s)
{
    for (size_t i = s->cursor; i < s->count; i++) {
        const struct record *r = s->event[i]->record;
        if (!s->event[i]->done && r->result > 0 && replay_is_output(r->stream, r->call))
            return true;
    }
    return false;
}

/* Whether the log has output of other threads of the process that are still there to write it. */
bool replay_siblings_write(const struct task *t)
{
    for (const struct task *other = tasks; other; other = other->next)
        if (other != t && other->alive && other->task_log && other->leader == t->leader && has_output_left(other->task_log))
            return true;
    return false;
}

/* The rest of a write, of which the log has nothing more. */
bool replay_output_goes_on(const struct task *t)
{
    return replay_is_output(t->stream, t->nr) && is_continued(t);
}

/* The program learns of all that was written, with what the log had of it: else it would write the rest again. */
void replay_output_rest_exit(struct task *t, int64_t result)
{
    say_last(t, result > 0 ? (uint64_t)result : 0);
}

void replay_output_exit(struct task *t, struct event *e, int64_t result)
{
    bool was_short = e->record->result < (int64_t)e->record->args[2];
    uint64_t n = t->nr == REX_NR_write ? part_of(t, e) : (uint64_t)e->record->result;
    t->lost_reader = result == -EPIPE;    /* that nobody reads here is no affair of the program's */
    if (result < 0 && !t->lost_reader) {
        report_line("output_failed=%s", strerror((int)-result));
        replay_diverged(t, e, "failed here");
        give_result(t, result);
        replay_done(e);
        return;
    }
    e->written += (uint32_t)n;
    if (t->nr == REX_NR_write && n < t->args[2] && !was_short && !t->lost_reader)
        say_rest(t, n);
    else
        say_last(t, n);
    if (e->written < (uint64_t)e->record->result)
        return;
    replay_done(e);
    if (e->record->task == t->task_log->index)
        t->task_log->said = e;
}

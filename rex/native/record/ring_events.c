/* Record: what a thread performed without a stop, from its ring into the log. */
#include "base/base.h"
#include "log/log.h"
#include "log/repeats.h"
#include "mode/mode.h"
#include "record/internal.h"
#include "record/record.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

/* The record that words of the ring may follow, and the growths that they tell. */
static struct bytes record, growths;
static uint64_t grown;

static void put(void)
{
    if (growths.used) {
        log_field(&record, FIELD_WHOLE, FIELD_REPEATS, growths.data, growths.used);
        ((struct record *)record.data)->flags |= IS_REPEATED;
    }
    if (record.used)
        log_end(&record);
    growths.used = 0;
    grown = 0;
}

static void begin(struct task *t, const struct record *of, uint64_t now)
{
    record.used = 0;
    bytes_add(&record, of, of->size);
    struct record *r = (struct record *)record.data;
    r->task = t->index;
    r->time = now;
    r->stream = !call_of(r->call) ? 0 : stream_of(t->files, call_of(r->call), r->args);
    if (r->call == REX_NR_openat && r->result >= 0)
        record_read_only(t, r);
    if (r->call == REX_NR_clock_gettime)
        record_reading(t, r);
}

/* The ring goes on behind what was taken as the thread ran on: its first words may be growths of the last record there. */
static void keep_last(struct task *t)
{
    struct record *last = (struct record *)record_state(t)->last_in_ring, *r = (struct record *)record.data;
    last->size = 0;
    if (!record.used || r->size > LARGEST_REPEATED)
        return;
    memcpy(last, r, r->size);
    repeat_grow(last, grown);
}

static void go_on(struct task *t, uint64_t by, uint64_t now)
{
    struct record *last = (struct record *)record_state(t)->last_in_ring;
    if (!last->size)
        return;
    repeat_grow(last, by);
    begin(t, last, now);
}

static bool is_record(const struct record *r, uint32_t left)
{
    return left >= sizeof *r && r->size >= sizeof *r && r->size % 8 == 0 && r->size <= left && (call_of(r->call) || r->call == EVENT_TSC || r->call == EVENT_DUP || r->call == EVENT_RESULT);
}

void record_taken(struct task *t, const unsigned char *records, uint32_t n)
{
    uint64_t now = log_stamp();
    record.used = 0;
    for (uint32_t at = 0, size; n - at >= sizeof(uint64_t); at += size) {
        const struct record *r = (const struct record *)(records + at);
        uint64_t word = *(const uint64_t *)r;
        size = word & REPEAT_MARK ? sizeof word : r->size;
        if (word & REPEAT_MARK && record.used) {
            repeats_number(&growths, word >> REPEAT_SHIFT);
            grown += word >> REPEAT_SHIFT;
        } else if (word & REPEAT_MARK)
            go_on(t, word >> REPEAT_SHIFT, now);
        else if (is_record(r, n - at)) {
            put();
            begin(t, r, now);
        } else
            break;
    }
    keep_last(t);
    put();
    t->returned_at = 0;
}

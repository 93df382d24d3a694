/* log: one record for several calls of a task that follow each other and are equal, but for a time or a counter that goes on.
 * Its last field has how much the value grew from each call to the next: see docs/formats/log.md.
 * In a ring such a call is one word: its growth, shifted, and a mark that no record begins with.  The stub in tracees includes this, too. */
#ifndef REX_LOG_REPEATS_H
#define REX_LOG_REPEATS_H

#include "log/log.h"
#include "syscalls/syscalls.h"

#define REPEATS_INLINE static inline __attribute__((always_inline, no_sanitize("address", "undefined")))

enum repeat_kind { REPEATS_SAME, REPEATS_NS, REPEATS_US, REPEATS_COUNT };
enum { REPEAT_MARK = 1, REPEAT_SHIFT = 3, LARGEST_REPEATED = 512, CLOCK_RECORD = sizeof(struct record) + sizeof(struct field) + 16 };

/* What grows: the time that a clock gave, in its unit, or the result.  size: of the record without its growths. */
REPEATS_INLINE enum repeat_kind repeat_kind(uint16_t call, uint32_t size)
{
    if (size == CLOCK_RECORD && (call == REX_NR_clock_gettime || call == REX_NR_gettimeofday))
        return call == REX_NR_clock_gettime ? REPEATS_NS : REPEATS_US;
    return size == sizeof(struct record) && (call == EVENT_TSC || call == REX_NR_time) ? REPEATS_COUNT : REPEATS_SAME;
}

REPEATS_INLINE uint64_t repeat_unit(enum repeat_kind kind)
{
    return kind == REPEATS_NS ? 1000000000 : 1000000;
}

REPEATS_INLINE uint64_t *repeat_time(struct record *r)
{
    return (uint64_t *)((unsigned char *)r + CLOCK_RECORD - 16);
}

REPEATS_INLINE uint64_t repeat_value(struct record *r, enum repeat_kind kind)
{
    if (kind == REPEATS_NS || kind == REPEATS_US)
        return repeat_time(r)[0] * repeat_unit(kind) + repeat_time(r)[1];
    return kind == REPEATS_COUNT ? (uint64_t)r->result : 0;
}

REPEATS_INLINE void repeat_grow(struct record *r, uint64_t by)
{
    enum repeat_kind kind = repeat_kind(r->call, r->size);
    uint64_t value = repeat_value(r, kind) + by;
    if (kind == REPEATS_COUNT)
        r->result = (int64_t)value;
    else if (kind != REPEATS_SAME) {
        repeat_time(r)[0] = value / repeat_unit(kind);
        repeat_time(r)[1] = value % repeat_unit(kind);
    }
}

/* repeats.c */
/* The calls of one record, in their order.  now: a copy that is the next of them; at: the growths that are left. */
struct repeats { const struct record *whole; struct record *now; const unsigned char *first, *at, *end; uint32_t taken; };

uint64_t repeats_in(const struct record *r);  /* how many calls the record has after the first */
struct repeats *repeats_begin(const struct record *r);  /* NULL: it has one call */
bool repeats_next(struct repeats *s, uint64_t calls);  /* the last of so many more; false: there are not so many */
bool repeats_are_left(const struct repeats *s);  /* behind the next */
void repeats_rewind(struct repeats *s);
size_t repeats_words(const struct repeats *s, uint64_t *words, size_t most, bool *all);  /* those after the next, as rings have them; how many */
void repeats_number(struct bytes *b, uint64_t number);  /* as the field has it */

#endif

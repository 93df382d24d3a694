/* log: the calls of a record that stands for several. */
#include "base/base.h"
#include "log/log.h"
#include "log/repeats.h"

enum { LOW_BITS = 7, LOW = (1 << LOW_BITS) - 1, MORE = 1 << LOW_BITS, NUMBER_BITS = 64 };
static const uint64_t EACH_BYTE = 0x0101010101010101;

static const struct field *growths(const struct record *r)
{
    const struct field *last = NULL;
    for (const struct field *f = r->flags & IS_REPEATED ? field_next(r, NULL) : NULL; f; f = field_next(r, f))
        last = f;
    return last && last->type == FIELD_REPEATS ? last : NULL;
}

uint64_t repeats_in(const struct record *r)
{
    const struct field *f = growths(r);
    uint64_t n = f ? f->length : 0, word;
    uint32_t i = 0;
    for (; f && i + sizeof word <= f->length; i += sizeof word) {     /* eight bytes at once: logs have millions */
        memcpy(&word, f->data + i, sizeof word);
        n -= ((word >> LOW_BITS & EACH_BYTE) * EACH_BYTE) >> (NUMBER_BITS - 8);
    }
    for (; f && i < f->length; i++)
        n -= f->data[i] >> LOW_BITS;
    return n;
}

void repeats_number(struct bytes *b, uint64_t number)
{
    unsigned char byte;
    for (; number > LOW; number >>= LOW_BITS) {
        byte = (unsigned char)(number | MORE);
        bytes_add(b, &byte, sizeof byte);
    }
    byte = (unsigned char)number;
    bytes_add(b, &byte, sizeof byte);
}

/* Archives come from strangers: a number may lack its end, or be too long. */
static bool take_number(const unsigned char **at, const unsigned char *end, uint64_t *number)
{
    *number = 0;
    for (int shift = 0; *at < end; shift += LOW_BITS) {
        unsigned char byte = *(*at)++;
        *number |= shift < NUMBER_BITS ? (uint64_t)(byte & LOW) << shift : 0;
        if (!(byte & MORE))
            return true;
    }
    return false;
}

/* The record of its first call only. */
static uint32_t size_of_one(const struct record *r)
{
    return (uint32_t)((const unsigned char *)growths(r) - (const unsigned char *)r);
}

void repeats_rewind(struct repeats *s)
{
    uint32_t size = size_of_one(s->whole);
    memcpy(s->now, s->whole, size);
    s->now->size = size;
    s->now->flags = 0;
    s->at = s->first;
    s->taken = 0;
}

struct repeats *repeats_begin(const struct record *r)
{
    const struct field *f = growths(r);
    if (!f || !repeats_in(r))
        return NULL;
    struct repeats *s = zalloc(sizeof *s);
    *s = (struct repeats){.whole = r, .now = zalloc(size_of_one(r)), .first = f->data, .end = f->data + f->length};
    repeats_rewind(s);
    return s;
}

bool repeats_next(struct repeats *s, uint64_t calls)
{
    uint64_t by, grown = 0, i = 0;
    for (; i < calls && take_number(&s->at, s->end, &by); i++)
        grown += by;
    repeat_grow(s->now, grown);
    s->taken += (uint32_t)i;
    return i == calls;
}

bool repeats_are_left(const struct repeats *s)
{
    return s->at < s->end;
}

/* A growth that no word holds ends them: the engine answers it. */
size_t repeats_words(const struct repeats *s, uint64_t *words, size_t most, bool *all)
{
    const unsigned char *at = s->at;
    uint64_t by;
    size_t n = 0;
    while (!(*all = !take_number(&at, s->end, &by)) && n < most && by >> (NUMBER_BITS - REPEAT_SHIFT) == 0)
        words[n++] = by << REPEAT_SHIFT | REPEAT_MARK;
    return n;
}

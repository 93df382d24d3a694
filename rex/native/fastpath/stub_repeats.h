/* The part of the stub that notes an event as one word, if it is the last one again; only fastpath/stub.c includes it. */
#ifndef REX_STUB_REPEATS_H
#define REX_STUB_REPEATS_H

PART struct record *last_of(struct ring *ring)
{
    return (struct record *)(ring->data + ring->last);
}

/* The engine empties the ring by its position alone. */
PART bool has_last(const struct ring *ring)
{
    return ring->at && !ring->asks;
}

PART bool grows(struct ring *ring, uint64_t value)
{
    uint64_t by = value - ring->value;
    if (by >> (64 - REPEAT_SHIFT))
        return false;
    *(uint64_t *)(ring->data + ring->at) = by << REPEAT_SHIFT | REPEAT_MARK;
    ring->value = value;
    __asm__ volatile("" : : : "memory");
    ring->at += sizeof(uint64_t);
    return true;
}

PART bool has_same_words(const uint64_t *one, const uint64_t *other, uint32_t from, uint32_t to)
{
    for (uint32_t i = from / 8; i < to / 8; i++)
        if (one[i] != other[i])
            return false;
    return true;
}

/* Of two calls of one size, whose second one has no head yet. */
PART bool is_last_again(struct ring *ring, const struct record *r, uint32_t size, long nr, const uint64_t *args, uint32_t nargs, int64_t result)
{
    const struct record *last = last_of(ring);
    enum repeat_kind kind = repeat_kind((uint16_t)nr, size);
    if (last->size != size || last->call != (uint16_t)nr || (kind != REPEATS_COUNT && last->result != result) || size > LARGEST_REPEATED)
        return false;
    bool has_time = kind == REPEATS_NS || kind == REPEATS_US;
    return has_same_words(args, last->args, 0, nargs * (uint32_t)sizeof *args)
        && has_same_words((const uint64_t *)r, (const uint64_t *)last, sizeof *r, has_time ? size - 2 * (uint32_t)sizeof(uint64_t) : size);
}

/* As one word, if it is the last event again. */
PART bool noted_again(struct ring *ring, const unsigned char *to, long nr, const uint64_t *args, uint32_t nargs, int64_t result)
{
    struct record *r = (struct record *)(ring->data + ring->at);
    uint32_t size = (uint32_t)(to - (unsigned char *)r);
    r->result = result;
    return has_last(ring) && is_last_again(ring, r, size, nr, args, nargs, result) && grows(ring, repeat_value(r, repeat_kind((uint16_t)nr, size)));
}

/* ------------------------------------------------------------------ a replay's answers */

PART bool is_repeat(const struct ring *ring)
{
    return ring->data[ring->at] & REPEAT_MARK;
}

/* The record of the next answer, if there is one; for one more of the same it is to grow first. */
PART struct record *next_of(struct ring *ring)
{
    return is_repeat(ring) ? last_of(ring) : (struct record *)(ring->data + ring->at);
}

/* The answer is given from now on. */
PART void pass(struct ring *ring, struct record *r)
{
    if (is_repeat(ring)) {
        uint64_t *word = (uint64_t *)(ring->data + ring->at);
        repeat_grow(r, *word >> REPEAT_SHIFT);
        ring->at += sizeof *word;
    } else {
        ring->last = ring->at;
        ring->at += r->size;
    }
}

/* The common case of that, in few steps: a loop over the clock. */
PART bool time_again(struct ring *ring, long nr, const uint64_t *args)
{
    struct record *r = last_of(ring);
    enum repeat_kind kind = repeat_kind(r->call, r->size);
    bool is_clock = kind == REPEATS_NS, has_time = is_clock || kind == REPEATS_US;
    if (!has_time || r->call != (uint16_t)nr || args[0] != r->args[0] || args[1] != r->args[1])
        return false;
    ring->busy = 1;
    __asm__ volatile("" : : : "memory");
    pass(ring, r);
    uint64_t *to = (uint64_t *)args[is_clock];
    to[0] = repeat_time(r)[0];
    to[1] = repeat_time(r)[1];
    __asm__ volatile("" : : : "memory");
    ring->busy = 0;
    return true;
}

#endif

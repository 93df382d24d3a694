/* The part of the stub that answers the threads of a replay; only fastpath/stub.c includes it.
 *
 * What a thread does depends on when it gets a lock, so that its calls come in another order than when recorded.  Each takes the
 * first answer left for such a call, and marks it as taken. */
#ifndef REX_STUB_ANY_ORDER_H
#define REX_STUB_ANY_ORDER_H

PART struct record *record_at(struct ring *ring, uint32_t at)
{
    return (struct record *)(ring->data + at);
}

PART bool is_reading(const struct record *r)
{
    return r->call == REX_NR_clock_gettime || r->call == REX_NR_gettimeofday || r->call == EVENT_TSC;
}

/* Clocks go forward: of the readings that are left only the first may be taken. */
STUB struct record *first_reading(struct ring *ring)
{
    for (uint32_t at = 0; at < ring->end; at += record_at(ring, at)->size)
        if (!record_at(ring, at)->flags && is_reading(record_at(ring, at)))
            return record_at(ring, at);
    return NULL;
}

/* NULL: there is none. */
PART struct record *next_reading(struct ring *ring)
{
    return ring->replaying == IN_ANY_ORDER ? first_reading(ring) : ring->at < ring->end ? next_of(ring) : NULL;
}

PART bool is_reading_left(struct ring *ring, const struct rule *rule, long nr, const uint64_t *args)
{
    const struct record *r = next_reading(ring);
    return r && is_such_call(rule, nr, args, r);
}

/* The first from there on; of_open: up to the next open. */
PART struct record *first_alike(struct ring *ring, const struct rule *rule, long nr, const uint64_t *args, uint32_t at, bool of_open)
{
    for (; at < ring->end && !(of_open && record_at(ring, at)->call == REX_NR_openat); at += record_at(ring, at)->size)
        if (!record_at(ring, at)->flags && is_same_call(rule, nr, args, record_at(ring, at)))
            return record_at(ring, at);
    return NULL;
}

PART bool has_name(const struct rule *rule, const uint64_t *args)
{
    return rule->path < 6 && args[rule->path] && *(const char *)args[rule->path];
}

/* Threads race for the numbers of descriptors: what is known of one belongs to the file that was opened last. */
PART struct record *left(struct ring *ring, const struct rule *rule, long nr, const uint64_t *args)
{
    uint64_t recorded[6];
    uint32_t at = 0;
    bool of_open = rule->by_fd && (rule->flags == NO_FLAGS || !has_name(rule, args));
    while (of_open && at < ring->end && record_at(ring, at)->flags != TAKEN_LAST)
        at += record_at(ring, at)->size;
    const struct record *open = record_at(ring, at);
    if (of_open && (at >= ring->end || (uint32_t)open->result != (uint32_t)args[0]))
        return NULL;
    for (int i = 0; i < 6; i++)
        recorded[i] = args[i];
    recorded[0] = of_open ? open->time : args[0];
    return first_alike(ring, rule, nr, recorded, of_open ? at + open->size : 0, of_open);
}

/* `at` is where the furthest ends. */
STUB void take_marked(struct ring *ring, struct record *r, uint16_t how)
{
    uint32_t to = (uint32_t)((unsigned char *)r - ring->data) + r->size;
    for (uint32_t at = 0; how == TAKEN_LAST && at < ring->at; at += record_at(ring, at)->size)
        record_at(ring, at)->flags = record_at(ring, at)->flags ? TAKEN : 0;
    r->flags = how;
    __asm__ volatile("" : : : "memory");
    ring->at = to > ring->at ? to : ring->at;
}

/* The engine learns the number from the record, which keeps the recorded one as its time. */
PART bool opens_any(struct record *r, const uint64_t *args)
{
    int64_t fd = args[2] == r->args[2] ? open_stand_in(r, args) : -1;
    if (fd < 0)
        return false;
    r->time = (uint64_t)r->result;
    r->result = fd;
    return true;
}

STUB struct answer answered_in_any_order(struct ring *ring, const struct rule *rule, long nr, const uint64_t *args)
{
    struct record *r = rule->place < 6 || nr == REX_NR_gettimeofday ? first_reading(ring)
        : left(ring, rule, nr, args);
    bool opens = rule->kind == RULE_OPEN && r && r->result >= 0;
    if (!r || (is_reading(r) && !is_same_call(rule, nr, args, r)) || (opens && !opens_any(r, args)))
        return (struct answer){0, STOPS};
    take(r, args);
    take_marked(ring, r, opens ? TAKEN_LAST : TAKEN);
    return (struct answer){r->result, GIVEN};
}

#endif

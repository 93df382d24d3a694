/* The part of the stub that reads the processor's counter; only fastpath/stub.c includes it. */
#ifndef REX_STUB_COUNTER_H
#define REX_STUB_COUNTER_H

struct counted { uint64_t ticks, aux; bool is_known; };

PART struct counted count_now(struct ring *ring, bool with_aux, uint64_t caller)
{
    struct timespec now;
    uint32_t processor = 0, node = 0;
    struct counted none = {0, 0, false};
    if (ring->at + sizeof(struct record) > ring->end || kernel(REX_NR_clock_gettime, CLOCK_MONOTONIC_RAW, (uint64_t)&now, 0, 0)
        || (with_aux && kernel(REX_NR_getcpu, (uint64_t)&processor, (uint64_t)&node, 0, 0)))
        return none;
    struct counted c = {ticks_at((const struct pace *)FAST_PACE, (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec),
                        node << 12 | processor, true};
    const uint64_t args[6] = {c.aux, ring->asks ? caller : 0, 0, 0, 0, 0};
    const unsigned char *to = ring->data + ring->at + sizeof(struct record);
    if (!noted_again(ring, to, EVENT_TSC, args, 2, (int64_t)c.ticks))
        noted(ring, to, EVENT_TSC, args, (int64_t)c.ticks);
    return c;
}

PART struct counted counted_then(struct ring *ring, uint64_t caller)
{
    struct record *r = next_reading(ring);
    struct counted none = {0, 0, false};
    if (!r || r->call != EVENT_TSC || (ring->asks && r->args[1] != caller))
        return none;
    if (ring->replaying == IN_ANY_ORDER)
        take_marked(ring, r, TAKEN);
    else
        pass(ring, r);
    return (struct counted){(uint64_t)r->result, r->args[0], true};
}

/* How much further the slot goes on.  regs: rax, rcx, rdx. */
STUB uint64_t rex_stub_read(const unsigned char *back, uint64_t *regs)
{
    const struct counter_slot *slot = (const struct counter_slot *)(back - offsetof(struct counter_slot, again));
    bool with_aux = slot->again[1] == 0x01;
    uint64_t base;
    __asm__ volatile("rdgsbase %0" : "=r"(base));
    struct ring *ring = (struct ring *)base;
    if (base - FAST_RINGS >= RING_COUNT * RING_SIZE || ring->busy)
        return 0;
    ring->busy = 1;
    __asm__ volatile("" : : : "memory");
    struct counted c = ring->replaying ? counted_then(ring, slot->caller) : count_now(ring, with_aux, slot->caller);
    __asm__ volatile("" : : : "memory");
    ring->busy = 0;
    if (!c.is_known)
        return 0;
    regs[0] = (uint32_t)c.ticks;
    regs[1] = with_aux ? c.aux : regs[1];
    regs[2] = c.ticks >> 32;
    return sizeof slot->again;
}

#endif

/* The part of the stub that writes to the standard output and error; only fastpath/stub.c includes it.  What it writes it notes, or,
 * in a replay, compares with what the log has: see record/output_order.c. */
#ifndef REX_STUB_OUTPUT_H
#define REX_STUB_OUTPUT_H

#include <poll.h>

/* From here on either the engine sees that the stub is at work, or this that it may not write any more. */
PART bool may_say(struct ring *ring, const uint64_t *args)
{
    __asm__ volatile("lock addl $0, (%%rsp)" : : : "memory", "cc");
    return args[2] && args[2] <= LONGEST_SAID && ((volatile struct ring *)ring)->says >> (uint32_t)args[0] & 1;
}

/* What has to wait for its reader is left to a stop, where a signal may come. */
PART short hearing(const uint64_t *args)
{
    struct pollfd fd = {(int)args[0], POLLOUT, 0};
    return kernel(REX_NR_poll, (uint64_t)&fd, 1, 0, 0) == 1 ? fd.revents : 0;
}

PART struct answer said(struct ring *ring, const uint64_t *args)
{
    struct record *r = (struct record *)(ring->data + ring->at);
    unsigned char *to = (unsigned char *)(r + 1);
    int64_t result = -EFAULT;
    if (may_say(ring, args) && ring->at + sizeof *r + sizeof(struct field) + args[2] + 8 <= ring->end && hearing(args) == POLLOUT) {
        for (int i = 0; i < 6; i++)
            r->args[i] = args[i];
        r->result = 0;                    /* should it be killed before */
        __asm__ volatile("" : : : "memory");
        ((volatile struct ring *)ring)->busy = RING_SAYS(ring->at);
        result = rex_stub_write(args, &r->result);
    }
    if (result == -EFAULT)
        return (struct answer){0, STOPS};
    if (result > 0)
        to = put_field(to, 1, FIELD_IN, (const void *)args[1], (uint32_t)result);
    noted(ring, to, REX_NR_write, args, result);
    return (struct answer){result, GIVEN};
}

PART bool is_same_speech(const struct record *r, const uint64_t *args)
{
    const struct field *f = (const struct field *)(r + 1);
    const unsigned char *now = (const unsigned char *)args[1];
    bool same = r->call == REX_NR_write && (uint32_t)r->args[0] == (uint32_t)args[0] && (uint64_t)r->result == args[2] && f->length == args[2];
    for (uint32_t i = 0; same && i < f->length; i++)
        same = f->data[i] == now[i];
    return same;
}

/* That nobody reads any more is no affair of the program's. */
PART struct answer said_again(struct ring *ring, const uint64_t *args)
{
    const struct record *r = (const struct record *)(ring->data + ring->at);
    struct answer none = {0, STOPS};
    if (ring->at >= ring->end || is_repeat(ring) || !may_say(ring, args) || !is_same_speech(r, args))
        return none;
    short hears = hearing(args);
    if (!(hears & POLLERR) && (hears != POLLOUT || rex_stub_call(REX_NR_write, args) != r->result))
        return none;
    ring->at += r->size;
    return (struct answer){r->result, GIVEN};
}

#endif

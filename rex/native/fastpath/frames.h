/* fastpath/frames.h */
#ifndef REX_FASTPATH_FRAMES_H
#define REX_FASTPATH_FRAMES_H

#include "base/base.h"

/* Of one instruction's function: the caller's stack begins `size` above the stack pointer, or rbp, and the return
 * address lies just below; the caller's rbp lies at that distance from there, 0: it is still in the register.
 * last: IN_NO_FILE (code made as the program runs), or no table has it, or nothing called it. */
struct frame { uint64_t pc; int32_t size; int16_t rbp; uint8_t by_rbp, last; };
enum { IN_NO_FILE = 1, IN_FILE };

enum { FRAME_SLOTS = 2048, FRAME_TRIES = 8, FRAMES_ASKED = 4, MAKERS_ASKED = 6, DRAWERS_ASKED = 24, FRAMES_REACH = 4096, BY_FORM = 0xff, BY_TABLES = 0xfb, ENDS_BELOW = 4,
       NO_FUNCTION = 1 };

static inline __attribute__((always_inline, no_sanitize("address", "undefined"))) const struct frame *frame_of(const struct frame *known, uint64_t pc)
{
    uint64_t at = pc * 0x9e3779b97f4a7c15ULL >> 53;
    for (int i = 0; i < FRAME_TRIES; i++)
        if (known[(at + (uint64_t)i) % FRAME_SLOTS].pc == pc)
            return &known[(at + (uint64_t)i) % FRAME_SLOTS];
    return 0;
}

/* Whether two calls have the same caller; place is where the answer goes.  Where the stack ends in code that was made at run time,
 * the depth of the stack identifies the caller; the depth may change as that code is compiled again. */
static inline __attribute__((always_inline, no_sanitize("address", "undefined"))) bool is_same_caller(uint64_t caller, uint64_t place, uint64_t other, uint64_t other_place)
{
    enum { NEAR = 256 };
    return caller == other && (!(caller & ENDS_BELOW) || place - other_place + NEAR <= 2 * NEAR);
}

/* A hash of the return addresses, whose low byte says BY_TABLES, and whether they end in other code;
 * NO_FUNCTION: of none; 0: the frame of *missing is not known.
 * frames: how many of them count.
 * shift: from a stack's addresses to where it lies for who calls this.  Addresses of code that is made as the program runs
 * are another each time: they end it. */
static inline __attribute__((always_inline, no_sanitize("address", "undefined"))) uint64_t callstack_walk(const struct frame *known, uint64_t pc, uint64_t sp, uint64_t rbp,
                                                                           uint64_t shift, int frames, uint64_t *missing)
{
    uint64_t hash = 0, from = sp, form = BY_TABLES | ENDS_BELOW;
    for (int i = 0; ; i++) {
        const struct frame *f = frame_of(known, pc);
        *missing = pc;
        if (!f)
            return 0;
        if (f->last)
            break;
        form = i == frames ? BY_TABLES : form;
        hash = i ? (hash ^ pc) * 0x9fb21c651e98df25ULL : 0;
        hash ^= hash >> 32;
        sp = (f->by_rbp ? rbp : sp) + (uint64_t)(int64_t)f->size;
        if (i == frames || sp <= from || sp - from > FRAMES_REACH || sp % 8 || sp + (uint64_t)(int64_t)f->rbp < from)
            break;
        if (f->rbp)
            rbp = *(const uint64_t *)(sp + (uint64_t)(int64_t)f->rbp + shift);
        pc = *(const uint64_t *)(sp - 8 + shift);
    }
    return hash ? (hash & ~(uint64_t)BY_FORM) | form : NO_FUNCTION;
}

/* The return addresses by frame pointers, where functions keep them but no table has them, as in Go; 0: of less than two.
 * read: two words of memory that may not be there. */
static inline __attribute__((always_inline, no_sanitize("address", "undefined"))) uint64_t caller_by_pointers(bool (*read)(void *of, uint64_t at, uint64_t *two),
                                                                           void *of, uint64_t rbp, int frames)
{
    enum { LARGEST = 1 << 20, BYTE = 8 };
    uint64_t frame[2] = {rbp, 0}, at = 0, hash = 0xcbf29ce484222325ULL;
    int i = 0;
    for (; i < frames && frame[0] > at && (!at || frame[0] - at < LARGEST) && frame[0] % 8 == 0; i++) {
        at = frame[0];
        if (!read(of, at, frame) || !frame[1])
            break;
        for (int shift = 0; shift < 64; shift += BYTE)
            hash = (hash ^ (frame[1] >> shift & 0xff)) * 0x100000001b3ULL;
    }
    hash = i > 1 ? (hash ^ hash >> 29) | 1 : 0;
    return (hash & BY_TABLES) == BY_TABLES ? hash ^ 2 : hash;
}

#endif

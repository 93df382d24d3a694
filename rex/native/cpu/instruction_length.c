/* How long instructions are, for those who look for one among code: bytes that look like it may be
 * parts of others (of a call's distance, say).
 *
 *   [prefixes] [rex | vex | evex] opcode [modrm [sib] [displacement]] [immediate] */
#include "base/base.h"
#include "cpu/instruction_length.h"

#include <string.h>

enum { ESCAPE = 0x0f, LONGEST = 15, BACK = 64, RUN_UP = 24, WIDE = 8, HALF = 16, FAR = 32 };

static bool is_prefix(unsigned char b)
{
    return b == 0x66 || b == 0x67 || b == 0xf0 || b == 0xf2 || b == 0xf3 || (b & 0xe7) == 0x26 || (b & 0xfe) == 0x64;
}

/* What follows an opcode: bytes of an immediate value, and MODRM; negative: there is no such instruction. */
enum { MODRM = 0x100, NONE = -1 };

static int after_one(unsigned char op, unsigned flags)
{
    int full = flags & HALF ? 2 : 4;
    if (op < 0x40)
        return (op & 7) < 4 ? MODRM : (op & 7) == 4 ? 1 : (op & 7) == 5 ? full : NONE;
    if (op >= 0xd8 && op <= 0xdf)
        return MODRM;
    switch (op) {
    case 0x60: case 0x61: case 0x62: case 0x82: case 0x9a: case 0xce: case 0xd4: case 0xd5: case 0xd6: case 0xea:
        return NONE;
    case 0x63: case 0x84 ... 0x8f: case 0xd0 ... 0xd3: case 0xf6: case 0xf7: case 0xfe: case 0xff:
        return MODRM;
    case 0x69: case 0x81: case 0xc7:
        return MODRM + full;
    case 0x6b: case 0x80: case 0x83: case 0xc0: case 0xc1: case 0xc6:
        return MODRM + 1;
    case 0x68: case 0xa9:
        return full;
    case 0xe8: case 0xe9:
        return 4;
    case 0x6a: case 0x70 ... 0x7f: case 0xa8: case 0xb0 ... 0xb7: case 0xcd: case 0xe0 ... 0xe7: case 0xeb:
        return 1;
    case 0xa0 ... 0xa3:
        return flags & FAR ? 4 : 8;
    case 0xb8 ... 0xbf:
        return flags & WIDE ? 8 : full;
    case 0xc2: case 0xca:
        return 2;
    case 0xc8:
        return 3;
    }
    return 0;
}

static int after_two(unsigned char op)
{
    switch (op) {
    case 0x04: case 0x0a: case 0x0c: case 0x24 ... 0x27: case 0x36: case 0x39: case 0x3b ... 0x3f: case 0xa6: case 0xa7:
        return NONE;
    case 0x05 ... 0x09: case 0x0b: case 0x0e: case 0x30 ... 0x35: case 0x37: case 0x77: case 0xa0 ... 0xa2:
    case 0xa8 ... 0xaa: case 0xc8 ... 0xcf:
        return 0;
    case 0x80 ... 0x8f:
        return 4;
    case 0x0f: case 0x70 ... 0x73: case 0xa4: case 0xac: case 0xba: case 0xc2: case 0xc4 ... 0xc6:
        return MODRM + 1;
    }
    return MODRM;
}

/* The bytes that modrm implies: itself, sib and displacement. */
static size_t modrm_length(const unsigned char *p)
{
    int mod = *p >> 6, rm = *p & 7;
    if (mod == 3)
        return 1;
    size_t n = rm == 4 ? 2 : 1;
    if (mod == 0)
        return n + (rm == 5 || (rm == 4 && (p[1] & 7) == 5) ? 4 : 0);
    return n + (mod == 1 ? 1 : 4);
}

/* The opcode behind rex, vex or evex: *what follows it, and where it ends. */
static const unsigned char *opcode(const unsigned char *p, unsigned flags, int *after)
{
    int map = 0;
    if (*p == 0xc5 || *p == 0xc4 || *p == 0x62) {
        map = *p == 0xc5 ? 1 : p[1] & (*p == 0xc4 ? 0x1f : 7);
        p += *p == 0xc5 ? 2 : *p == 0xc4 ? 3 : 4;
        int vex = map == 1 ? after_two(*p) : map == 3 ? MODRM + 1 : MODRM;
        *after = map < 1 || map > 6 || (map == 1 && (*p & 0xf0) == 0x80) ? NONE : vex;
    } else if (*p != ESCAPE) {
        *after = after_one(*p, flags);
        bool tests = (*p == 0xf6 || *p == 0xf7) && (p[1] & 0x30) == 0;
        *after += tests ? *p == 0xf6 ? 1 : flags & HALF ? 2 : 4 : 0;
    } else {
        p++;
        *after = *p == 0x38 ? MODRM : *p == 0x3a ? MODRM + 1 : after_two(*p);
        p += *p == 0x38 || *p == 0x3a;
    }
    return p + 1;
}

size_t instruction_length(const unsigned char *code, size_t n, size_t *opcode_at)
{
    unsigned char copy[2 * LONGEST + 2] = {0};
    const unsigned char *p = copy, *end;
    unsigned flags = 0;
    int after;
    memcpy(copy, code, n < LONGEST ? n : LONGEST);
    for (; is_prefix(*p) && p < copy + LONGEST; p++)
        flags |= *p == 0x66 ? HALF : *p == 0x67 ? FAR : 0;
    if ((*p & 0xf0) == 0x40)
        flags |= *p++ & WIDE;
    if (flags & WIDE)
        flags &= ~(unsigned)HALF;
    *opcode_at = (size_t)(p - copy);
    end = opcode(p, flags, &after);
    if (after < 0)
        return 0;
    size_t length = (size_t)(end - copy) + (after & MODRM ? modrm_length(end) : 0) + (size_t)(after & ~MODRM);
    return length <= n && length <= LONGEST ? length : 0;
}

bool instruction_begins(const unsigned char *code, size_t n, size_t at)
{
    int hits = 0, misses = 0;
    for (size_t back = RUN_UP; back <= BACK && back <= at; back++) {
        size_t i = at - back, opcode_at = 0, length;
        while (i < at && (length = instruction_length(code + i, n - i, &opcode_at)) && i + opcode_at < at && i + length <= at)
            i += length;
        bool is_hit = i == at || (i < at && length && i + opcode_at == at);
        hits += is_hit;
        misses += !is_hit;
    }
    return hits > 2 * misses || at < RUN_UP;
}

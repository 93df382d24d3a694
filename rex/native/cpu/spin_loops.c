/* Loops that do nothing but read the counter, and look at memory, until something has come or a time is over, as
 * threads of OpenBLAS do while they have no work.
 *
 * Each reading is a stop, so that of all that the tracer does such loops would soon be most.  A thread that is in one is
 * held for a sixteenth of the time that it has been in it, for some milliseconds at the most: it goes on that much
 * later, and of ten thousand readings a hundred are left.  It is in one if it comes back to where it was with the
 * registers that it had, but for what it read, and if the code on the way writes nothing. */
#include "base/base.h"
#include "cpu/cpu.h"
#include "cpu/instruction_length.h"
#include "cpu/internal.h"
#include "log/log.h"
#include "mode/mode.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

enum { MANY = 7, PART = 16, LEAST_NS = 20000, MOST_NS = 10000000, BEFORE = 64, WINDOW = 128 };
enum { ELSEWHERE_NS = 1000000 };          /* so long it did something else, or had no processor */

static unsigned held;                     /* at most so many tasks are */

/* ------------------------------------------------------------------ code */

/* Whether an instruction changes at most registers, and goes on with the next one or as jumps within a function do. */
static bool only_looks(const unsigned char *code, size_t op, size_t length)
{
    static const unsigned char reading[] = {0x03, 0x0b, 0x13, 0x1b, 0x23, 0x2b, 0x33, 0x38, 0x39, 0x3a, 0x3b, 0x3c, 0x3d, 0x63,
                                            0x84, 0x85, 0x8a, 0x8b, 0x8d, 0x90, 0xa8, 0xa9, 0xeb, 0xe9};
    static const unsigned char changing[] = {0x01, 0x09, 0x11, 0x19, 0x21, 0x29, 0x31, 0x88, 0x89, 0xc1, 0xd1, 0xd3, 0xf7};
    unsigned char first = code[op], next = op + 1 < length ? code[op + 1] : 0, modrm = op + 2 < length ? code[op + 2] : 0;
    if (first == 0x0f)
        return next == 0x31 || next == 0x1f || next == 0xb6 || next == 0xb7 || next == 0xbe || next == 0xbf || next == 0xaf
            || (next & 0xf0) == 0x40 || (next & 0xf0) == 0x80 || (next == 0x01 && modrm == 0xf9)
            || (next == 0xae && modrm >= 0xe8);          /* fences */
    if (first == 0x80 || first == 0x81 || first == 0x83)
        return is_between_registers(next) || (next & 0x38) == 0x38;                   /* a comparison */
    if ((first == 0xf6 || first == 0xf7) && (next & 0x30) == 0)
        return true;                                                         /* a test */
    return memchr(reading, first, sizeof reading) || (first & 0xf0) == 0x70 || (first >= 0xb8 && first <= 0xbf)
        || (memchr(changing, first, sizeof changing) && is_between_registers(next));
}

static bool is_jump(unsigned char first)
{
    return first == 0xe9 || first == 0xeb;
}

/* Where a jump goes, the place behind it if it is none. */
static size_t target_of(const unsigned char *code, size_t at, size_t op, size_t length)
{
    unsigned char first = code[at + op];
    int32_t far = 0;
    if ((first & 0xf0) == 0x70 || first == 0xeb)
        far = (signed char)code[at + length - 1];
    else if (first == 0xe9 || (first == 0x0f && (code[at + op + 1] & 0xf0) == 0x80))
        memcpy(&far, code + at + length - sizeof far, sizeof far);
    return at + length + (size_t)(int64_t)far;
}

/* From one place to another; back is set to where the first jump to there, or before, leads. */
static bool only_looks_between(const unsigned char *code, size_t from, size_t to, size_t *back)
{
    size_t op = 0, length = 0, at = from;
    while (at < to && (length = instruction_length(code + at, WINDOW - at, &op)) && only_looks(code + at, op, length)) {
        size_t target = target_of(code, at, op, length);
        at += length;
        if (back && target < from && target >= *back) {
            *back = target;
            return true;
        }
        if (back && is_jump(code[at - length + op]))
            return false;
    }
    return !back && at == to;
}

/* Whether the code at a reading leads back to it, and does nothing else on the way. */
static bool is_loop(struct task *t, uint64_t reading, size_t size)
{
    unsigned char code[WINDOW];
    size_t begin = 0;
    return mem_read(t->tid, reading - BEFORE, code, sizeof code)
        && only_looks_between(code, BEFORE + size, WINDOW, &begin) && begin <= BEFORE
        && only_looks_between(code, begin, BEFORE, NULL);
}

/* ------------------------------------------------------------------ tasks */

/* All but what a reading changes. */
static uint64_t look_of(struct user_regs_struct r)
{
    r.rax = r.rdx = r.eflags = r.orig_rax = 0;
    return hash_bytes(&r, sizeof r, 0);
}

bool polls_read(struct task *t, const struct user_regs_struct *at_reading, size_t size)
{
    struct cpu_state *s = cpu_state(t);
    uint64_t look = look_of(*at_reading);
    ull now = log_now();
    if (look != s->look) {
        s->look = look;
        s->times = 0;
        s->since = now;
        s->loops = false;
    } else {
        if (now > s->seen + ELSEWHERE_NS)
            s->since += now - s->seen;
        if (++s->times == MANY)
            s->loops = is_loop(t, at_reading->rip, size);
    }
    s->seen = now;
    ull while_ns = (now - s->since) / PART;
    if (s->loops && while_ns > LEAST_NS && !is_serialized()) {
        s->seen = s->until = now + (while_ns < MOST_NS ? while_ns : MOST_NS);
        held++;
    }
    return s->loops;
}

bool polls_hold(const struct task *t)
{
    return cpu_state(t)->until > 0;
}

/* How long until the first of them goes on, those whose time has come now; 0: none is held. */
ull polls_left_ns(void)
{
    if (!held)
        return 0;
    ull now = log_now(), first = 0;
    held = 0;
    for (struct task *t = tasks; t; t = t->next) {
        struct cpu_state *s = cpu_state(t);
        if (!t->alive || !s->until)
            continue;
        if (s->until <= now) {
            s->until = 0;
            resume(t, 0);
        } else {
            held++;
            first = !first || s->until < first ? s->until : first;
        }
    }
    return first ? first - now : 0;
}

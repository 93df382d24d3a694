/* The code that runs in tracees: it performs a query and notes its event in the thread's
 * ring, or, in a replay, takes the answer from there.  What it cannot do it leaves to a
 * call that stops.  Calls on descriptors that are not external it lets through.
 *
 * All of it lies in one section, which is copied as it is: it must refer to nothing
 * outside, and touch no vector register. */
#include "engine.h"
#include "fast.h"

#pragma GCC target("general-regs-only")
#pragma GCC optimize("O2", "no-tree-loop-distribute-patterns")

#define STUB __attribute__((section("rex_stub"), used, noinline, visibility("hidden"), no_sanitize("address", "undefined")))
#define PART static inline __attribute__((always_inline, no_sanitize("address", "undefined")))

enum { LONGEST_PATH = 1024, LONGEST_ANSWER = 512, ROOM = 4096 };

enum { STOPS, GIVEN, PLAIN };                /* what is left to do for a call */
struct answer { int64_t result; uint64_t how; };

/* rex_stub_entry: called by a trampoline with a call's number and arguments in their registers.
 * rex_stub_call: performs a query.  Its syscall instruction and that of plain calls pass the
 * filter.  From it to the end is what no signal may interrupt; plain calls may wait for long. */
__asm__(
    ".pushsection rex_stub, \"ax\", @progbits\n"
    ".globl rex_stub_entry\n"
    "rex_stub_entry:\n"
    "    push %r9\n    push %r8\n    push %r10\n    push %rdx\n    push %rsi\n    push %rdi\n    push %rax\n"
    "    mov %rax, %rdi\n"
    "    lea 8(%rsp), %rsi\n"
    "    call rex_stub_query\n"
    "    mov %rdx, %r11\n"
    "    pop %rcx\n    pop %rdi\n    pop %rsi\n    pop %rdx\n    pop %r10\n    pop %r8\n    pop %r9\n"
    "    cmp $1, %r11\n"
    "    je 1f\n"
    "    mov %rcx, %rax\n"
    "    ja 2f\n"
    "    syscall\n"
    "1:  ret\n"
    "2:  syscall\n"
    ".globl rex_stub_plain\n"
    "rex_stub_plain:\n"
    "    ret\n"
    ".globl rex_stub_call\n"
    "rex_stub_call:\n"
    "    mov %rdi, %rax\n"
    "    mov 40(%rsi), %r9\n    mov 32(%rsi), %r8\n    mov 24(%rsi), %r10\n    mov 16(%rsi), %rdx\n"
    "    mov (%rsi), %rdi\n    mov 8(%rsi), %rsi\n"
    "    syscall\n"
    ".globl rex_stub_allowed\n"
    "rex_stub_allowed:\n"
    "    ret\n"
    ".popsection\n");

int64_t rex_stub_call(long nr, const uint64_t *args) __attribute__((visibility("hidden")));

/* No loop: the compiler would make a call of it. */
PART void copy(void *to, const void *from, uint64_t n)
{
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
}

PART unsigned char *put_field(unsigned char *to, uint8_t arg, uint8_t type, const void *data, uint32_t n)
{
    struct field *f = (struct field *)to;
    if (n)
        *(uint64_t *)(f->data + ((n + 7) & ~7u) - 8) = 0;
    copy(f->data, data, n);
    f->arg = arg;
    f->type = type;
    f->zero = 0;
    f->length = n;
    return f->data + ((n + 7) & ~7u);
}

/* The kernel has read the name of a call that ended so. */
PART bool is_name_good(int64_t result)
{
    return result >= 0 || result == -ENOENT || result == -EACCES || result == -ENOTDIR || result == -ELOOP;
}

PART bool note(struct ring *ring, const struct rule *rule, long nr, const uint64_t *args, int64_t result)
{
    struct record *r = (struct record *)(ring->data + ring->at);
    unsigned char *to = (unsigned char *)(r + 1);
    if (rule->path < 6 && args[rule->path]) {
        const char *path = (const char *)args[rule->path];
        uint32_t n = 0;
        while (n < LONGEST_PATH && path[n]) {
            __asm__ volatile("" : "+r"(n));
            n++;
        }
        if (!is_name_good(result) || n == LONGEST_PATH)
            return false;
        to = put_field(to, rule->path, FIELD_IN, path, n);
    }
    for (int i = 0; result >= 0 && i < rule->answers; i++) {
        uint64_t n = rule->answer[i].unit ? (uint64_t)result * rule->answer[i].unit : rule->answer[i].size;
        uint8_t arg = rule->answer[i].arg;
        if (n > LONGEST_ANSWER)
            return false;
        if (args[arg] && n)
            to = put_field(to, arg, FIELD_OUT, (const void *)args[arg], (uint32_t)n);
    }
    r->size = (uint32_t)(to - (unsigned char *)r);
    r->call = (uint16_t)nr;
    r->flags = 0;
    r->result = result;
    for (int i = 0; i < 6; i++)
        r->args[i] = args[i];
    __asm__ volatile("" : : : "memory");
    ring->at += r->size;
    return true;
}

PART bool is_same_call(const struct rule *rule, long nr, const uint64_t *args, const struct record *r)
{
    const struct field *f = (const struct field *)(r + 1);
    if (r->call != (uint16_t)nr || (rule->key < 6 && (uint32_t)args[rule->key] != (uint32_t)r->args[rule->key]))
        return false;
    if (rule->path > 5)
        return true;
    const char *path = (const char *)args[rule->path];
    bool has_name = r->size > sizeof *r && f->type == FIELD_IN;
    if (!path || !has_name)
        return false;
    for (uint32_t i = 0; i < f->length; i++)
        if ((char)f->data[i] != path[i])
            return false;
    return !path[f->length] && (f->length || args[0] == r->args[0]);
}

PART void take(const struct record *r, const uint64_t *args)
{
    const unsigned char *at = (const unsigned char *)(r + 1), *end = (const unsigned char *)r + r->size;
    while (at < end) {
        const struct field *f = (const struct field *)at;
        if (f->type == FIELD_OUT && f->arg < 6 && args[f->arg])
            copy((void *)args[f->arg], f->data, f->length);
        at = f->data + ((f->length + 7) & ~7u);
    }
}

PART struct answer performed(struct ring *ring, const struct rule *rule, long nr, const uint64_t *args)
{
    if (ring->at + ROOM > ring->end)
        return (struct answer){0, STOPS};
    int64_t result = rex_stub_call(nr, args);
    if (result == -EFAULT || !note(ring, rule, nr, args, result))
        return (struct answer){0, STOPS};
    return (struct answer){result, GIVEN};
}

PART struct answer answered(struct ring *ring, const struct rule *rule, long nr, const uint64_t *args)
{
    const struct record *r = (const struct record *)(ring->data + ring->at);
    if (ring->at >= ring->end || !is_same_call(rule, nr, args, r))
        return (struct answer){0, STOPS};
    take(r, args);
    ring->at += r->size;
    return (struct answer){r->result, GIVEN};
}

STUB struct answer rex_stub_query(long nr, const uint64_t *args)
{
    const struct rule *rule = (const struct rule *)FAST_RULES + nr;
    struct answer none = {0, STOPS};
    uint64_t base;
    __asm__ volatile("rdgsbase %0" : "=r"(base));
    if (base - FAST_RINGS >= RING_COUNT * RING_SIZE || (unsigned long)nr >= RULE_COUNT || !rule->kind)
        return none;
    struct ring *ring = (struct ring *)base;
    if (rule->kind == RULE_PLAIN) {
        uint32_t fd = (uint32_t)args[0];
        return (struct answer){0, ring->external >> (fd < 63 ? fd : 63) & 1 ? STOPS : PLAIN};
    }
    if (ring->busy)
        return none;
    ring->busy = 1;
    __asm__ volatile("" : : : "memory");
    struct answer answer = ring->replaying ? answered(ring, rule, nr, args) : performed(ring, rule, nr, args);
    __asm__ volatile("" : : : "memory");
    ring->busy = 0;
    return answer;
}

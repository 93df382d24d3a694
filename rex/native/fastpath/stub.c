/* The code that runs in tracees: it performs a query, or opens a file for reading, and notes the
 * event in the thread's ring, or, in a replay, takes the answer from there.  What it cannot do it
 * leaves to a call that stops.  Calls on descriptors that are not external it lets through.
 *
 * All of it lies in one section, which is copied as it is: it must refer to nothing
 * outside, and touch no vector register. */
#include "base/base.h"
#include "fastpath/area.h"
#include "log/log.h"
#include "syscalls/syscalls.h"

#include <fcntl.h>
#include <asm/sockios.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/uio.h>

#pragma GCC target("general-regs-only")
#pragma GCC optimize("O2", "no-tree-loop-distribute-patterns", "no-stack-protector")
#include "fastpath/pace.h"
#include "fastpath/frames.h"
#include "log/repeats.h"
#include "tracee/hidden.h"

#define STUB __attribute__((section("rex_stub"), used, noinline, visibility("hidden"), no_sanitize("address", "undefined")))
#define PART static inline __attribute__((always_inline, no_sanitize("address", "undefined")))

enum { WHO = 5, LONGEST_PATH = 1024, LONGEST_ANSWER = 512, ROOM = 4096, BEHIND_FIELDS = 2800, FIRST_FD = 3 };

enum { STOPS, GIVEN, PLAIN };                /* what is left to do for a call */
struct answer { int64_t result; uint64_t how; };

/* rex_stub_counter: called by a slot; it changes what rdtsc changes, and goes back a bit further if it has an answer.
 * The flags: what adds 127 to the overflow bit sets it again.
 * rex_stub_entry: called by a trampoline with a call's number and arguments in their registers.
 * rex_stub_stops: what it leaves to a stop goes back to the site's own syscall instruction, which lies before what the
 * trampoline's last jump leads to, with stack and registers as they were.
 * rex_stub_look: whether the descriptor of a plain call is external is looked at last: who is stopped between that and
 * the call goes back to it.
 * rex_stub_call: performs a query.  Its syscall instruction and that of plain calls pass the
 * filter.  From it to the end is what no signal may interrupt; plain calls may wait for long.
 * rex_stub_write: performs a write and keeps its result.  Killed from rex_stub_wrote to rex_stub_kept, a thread has that in its register only. */
__asm__(
    ".pushsection rex_stub, \"ax\", @progbits\n"
    ".globl rex_stub_entry\n"
    "rex_stub_entry:\n"
    "    push %rbp\n    push %r9\n    push %r8\n    push %r10\n    push %rdx\n    push %rsi\n    push %rdi\n    push %rax\n"
    "    mov %rax, %rdi\n"
    "    lea 8(%rsp), %rsi\n"
    "    call rex_stub_query\n"
    ".globl rex_stub_asked\n"
    "rex_stub_asked:\n"
    "    mov %rdx, %r11\n"
    "    pop %rcx\n    pop %rdi\n    pop %rsi\n    pop %rdx\n    pop %r10\n    pop %r8\n    pop %r9\n    pop %rbp\n"
    "    cmp $1, %r11\n"
    "    je 1f\n"
    "    mov %rcx, %rax\n"
    "    ja 4f\n"
    ".globl rex_stub_stops\n"
    "rex_stub_stops:\n"
    "3:  pop %r11\n"
    "    lea 128(%rsp), %rsp\n"
    "    movslq 9(%r11), %rcx\n"             /* raise: 8 bytes; jump: 1 and its distance */
    "    lea 13-2(%r11, %rcx), %r11\n"
    "    jmp *%r11\n"
    ".globl rex_stub_look\n"
    "rex_stub_look:\n"
    "4:  mov %edi, %ecx\n    cmp $63, %ecx\n    jbe 2f\n    mov $63, %ecx\n"
    "2:  rdgsbase %r11\n    mov 16(%r11), %r11\n    bt %rcx, %r11\n"
    "    jc 3b\n"
    "    syscall\n"
    ".globl rex_stub_plain\n"
    "rex_stub_plain:\n"
    "1:  ret\n"
    ".globl rex_stub_counter\n"
    "rex_stub_counter:\n"
    "    push %r11\n    push %r10\n    push %r9\n    push %r8\n    push %rdi\n    push %rsi\n    push %rdx\n    push %rcx\n    push %rax\n"
    "    lahf\n    seto %al\n    push %rax\n"
    "    mov 80(%rsp), %rdi\n"
    "    lea 8(%rsp), %rsi\n"
    "    call rex_stub_read\n"
    ".globl rex_stub_counted\n"
    "rex_stub_counted:\n"
    "    add %rax, 80(%rsp)\n"
    "    pop %rax\n    add $127, %al\n    sahf\n"
    "    pop %rax\n    pop %rcx\n    pop %rdx\n    pop %rsi\n    pop %rdi\n    pop %r8\n    pop %r9\n    pop %r10\n    pop %r11\n"
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
    ".globl rex_stub_write\n"
    "rex_stub_write:\n"
    "    push %rsi\n"
    "    mov %rdi, %rsi\n    mov $1, %edi\n"
    "    call rex_stub_call\n"
    ".globl rex_stub_wrote\n"
    "rex_stub_wrote:\n"
    "    pop %rsi\n"
    "    mov %rax, (%rsi)\n"
    ".globl rex_stub_kept\n"
    "rex_stub_kept:\n"
    "    ret\n"
    ".globl rex_stub_self\n"
    "rex_stub_self:\n"
    "    .ascii \"/proc/thread-self/fd/\"\n"
    ".globl rex_stub_acl\n"
    "rex_stub_acl:\n"
    "    .asciz \"system.posix_acl_access\"\n"
    ".popsection\n");

_Static_assert(offsetof(struct ring, external) == 16, "rex_stub_look reads it there");
enum { SELF_LENGTH = 21, STAT_BYTES = sizeof(struct stat) };
extern const char rex_stub_self[] __attribute__((visibility("hidden"))), rex_stub_acl[] __attribute__((visibility("hidden")));
int64_t rex_stub_call(long nr, const uint64_t *args) __attribute__((visibility("hidden")));
int64_t rex_stub_write(const uint64_t *args, int64_t *result) __attribute__((visibility("hidden")));

PART int64_t kernel(long nr, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    const uint64_t args[6] = {a, b, c, d, 0, 0};
    return rex_stub_call(nr, args);
}

/* Starting the instruction takes as long as many words do.  Another loop the compiler would make a call of. */
PART void copy(void *to, const void *from, uint64_t n)
{
    enum { FEW = 64 };
    for (uint64_t word; n <= FEW && n >= sizeof word; n -= sizeof word) {
        __asm__ volatile("movq (%[from]), %[word]\n movq %[word], (%[to])" : [word] "=&r"(word) : [from] "r"(from), [to] "r"(to) : "memory");
        to = (char *)to + sizeof word;
        from = (const char *)from + sizeof word;
    }
    if (n)
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

/* The length of a name; LONGEST_PATH: it is longer. */
PART uint32_t length_of(const char *path)
{
    uint32_t n = 0;
    while (n < LONGEST_PATH && path[n]) {
        __asm__ volatile("" : "+r"(n));
        n++;
    }
    return n;
}

/* The kernel has read the name of a call that ended so: where there is room for an answer, whose size is the last argument, also if
 * there is none, as of readlink for what is no link. */
PART bool is_name_good(const struct rule *rule, const uint64_t *args, int64_t result)
{
    bool has_room = rule->answers && rule->answer[0].unit && (int)args[rule->nargs - 1] > 0;
    return (result == -EINVAL && has_room) || result >= 0 || result == -ENOENT || result == -EACCES || result == -ENOTDIR || result == -ELOOP
        || result == -ENODATA || result == -EOPNOTSUPP || result == -ERANGE;
}

/* A query of the answer's size does not give the answer. */
PART uint64_t size_of_answer(const struct rule *rule, int i, const uint64_t *args, int64_t result)
{
    uint8_t limit = rule->answer[i].limit;
    if (!rule->answer[i].unit)
        return rule->answer[i].size;
    uint64_t given = limit < 6 && args[limit] < (uint64_t)result ? args[limit] : (uint64_t)result;
    return given * rule->answer[i].unit;
}

/* Its fields are there, up to `to`: the event counts. */
STUB void noted(struct ring *ring, const unsigned char *to, long nr, const uint64_t *args, int64_t result)
{
    struct record *r = (struct record *)(ring->data + ring->at);
    r->size = (uint32_t)(to - (unsigned char *)r);
    r->call = (uint16_t)nr;
    r->flags = 0;
    r->result = result;
    for (int i = 0; i < 6; i++)
        r->args[i] = args[i];
    ring->last = ring->at;
    ring->value = repeat_value(r, repeat_kind(r->call, r->size));
    __asm__ volatile("" : : : "memory");
    ring->at += r->size;
}

#include "fastpath/stub_repeats.h"

#define HIDDEN ((const struct hidden_all *)FAST_HIDDEN)

/* Where they end; NULL: the event cannot be noted here. */
PART unsigned char *put_fields(struct ring *ring, const struct rule *rule, const uint64_t *args, int64_t result)
{
    struct record *r = (struct record *)(ring->data + ring->at);
    unsigned char *to = (unsigned char *)(r + 1);
    if (rule->path < 6 && args[rule->path]) {
        const char *path = (const char *)args[rule->path];
        if (!is_name_good(rule, args, result))
            return NULL;
        uint32_t n = length_of(path);
        if (n == LONGEST_PATH || hidden_name_end(HIDDEN, path, n))
            return NULL;
        to = put_field(to, rule->path, FIELD_IN, path, n);
    }
    for (int i = 0; result >= 0 && i < rule->answers; i++) {
        uint64_t n = size_of_answer(rule, i, args, result);
        uint8_t arg = rule->answer[i].arg;
        if (n > (rule->count < 6 ? LONGEST_LISTING : LONGEST_ANSWER))
            return NULL;
        if (args[arg] && n)
            to = put_field(to, arg, FIELD_OUT, (const void *)args[arg], (uint32_t)n);
    }
    return to;
}

#include "fastpath/stub_opened.h"
#include "fastpath/stub_hidden.h"

/* ------------------------------------------------------------------ the caller */

/* What the entry has on the stack: the arguments, rbp, and where the trampoline goes on, above which the caller's begins. */
struct entry { uint64_t args[6], rbp, trampoline; };

PART bool is_known(uint64_t caller)
{
    return caller & 1;
}

/* By the kernel, as a register that is taken for a frame pointer may be anything. */
PART bool read_two(void *of, uint64_t at, uint64_t *two)
{
    (void)of;
    struct iovec here = {two, 2 * sizeof *two}, there = {(void *)at, 2 * sizeof *two};
    const uint64_t args[6] = {(uint64_t)kernel(REX_NR_gettid, 0, 0, 0, 0), (uint64_t)&here, 1, (uint64_t)&there, 1, 0};
    return rex_stub_call(REX_NR_process_vm_readv, args) == (int64_t)(2 * sizeof *two);
}

/* The call's arguments, with the caller in place of the last, unused one.  False: the engine must find the caller. */
PART bool ask_who(const struct ring *ring, const struct entry *e, uint64_t *args)
{
    enum { RED_ZONE = 128, DISTANCE = 9 };
    uint64_t missing, caller = 0, pc = e->trampoline + DISTANCE + 4 + (uint64_t)(int64_t)*(const int32_t *)(e->trampoline + DISTANCE);
    for (int i = 0; i < WHO; i++)
        args[i] = e->args[i];
    if (ring->asks && !(caller = callstack_walk((const struct frame *)FAST_FRAMES, pc, (uint64_t)(e + 1) + RED_ZONE, e->rbp, 0, FRAMES_ASKED, &missing)))
        return false;
    args[WHO] = caller == NO_FUNCTION ? caller_by_pointers(read_two, NULL, e->rbp, FRAMES_ASKED) : caller;
    return true;
}

/* ------------------------------------------------------------------ a replay's answers */

PART bool is_such_call(const struct rule *rule, long nr, const uint64_t *args, const struct record *r)
{
    return r->call == (uint16_t)nr && (rule->key > 5 || (uint32_t)args[rule->key] == (uint32_t)r->args[rule->key]);
}

/* The record's first field has the name; an empty one is its descriptor's. */
STUB bool is_same_name(const struct record *r, const char *path, uint64_t fd)
{
    const struct field *f = (const struct field *)(r + 1);
    if (!path || r->size == sizeof *r || f->type != FIELD_IN)
        return false;
    for (uint32_t i = 0; i < f->length; i++)
        if ((char)f->data[i] != path[i])
            return false;
    return !path[f->length] && (f->length || fd == r->args[0]);
}

STUB bool is_same_call(const struct rule *rule, long nr, const uint64_t *args, const struct record *r)
{
    if (!is_such_call(rule, nr, args, r)
        || (rule->place < 6 && (is_known(args[WHO]) && is_known(r->args[WHO]) ? !is_same_caller(args[WHO], args[1], r->args[WHO], r->args[1]) : args[rule->place] != r->args[rule->place]))
        || (rule->count < 6 && args[rule->count] < (uint64_t)r->result)
        || (rule->answer[0].limit < 6 && args[rule->answer[0].limit] != r->args[rule->answer[0].limit]))
        return false;
    return rule->path > 5 || is_same_name(r, (const char *)args[rule->path], args[0]);
}

STUB void take(const struct record *r, const uint64_t *args)
{
    const unsigned char *at = (const unsigned char *)(r + 1), *end = (const unsigned char *)r + r->size;
    while (at < end) {
        const struct field *f = (const struct field *)at;
        if (f->type == FIELD_OUT && f->arg < 6 && args[f->arg])
            copy((void *)args[f->arg], f->data, f->length);
        at = f->data + ((f->length + 7) & ~7u);
    }
}

/* A listing cannot be taken back: it gives no more than there is room for. */
PART int64_t listed(const struct rule *rule, long nr, const uint64_t *args)
{
    uint64_t limited[6];
    int64_t whole, n;
    for (int i = 0; i < 6; i++)
        limited[i] = i == rule->count && args[i] > LONGEST_LISTING ? LONGEST_LISTING : args[i];
    do {
        whole = rex_stub_call(nr, limited);
        n = shown(rule, limited, whole);
    } while (whole > 0 && !n);
    return n;
}

PART struct answer performed(struct ring *ring, const struct rule *rule, long nr, const uint64_t *args)
{
    bool lists = rule->count < 6;
    if (ring->at + ROOM + (lists ? LONGEST_LISTING : 0) > ring->end)
        return (struct answer){0, STOPS};
    int64_t result = lists ? listed(rule, nr, args) : rex_stub_call(nr, args);
    unsigned char *to = result == -EFAULT ? NULL : put_fields(ring, rule, args, result);
    bool repeats = to && rule->repeats;
    if (repeats && rule->answers && noted_again(ring, to, nr, args, rule->nargs, result))
        return (struct answer){result, GIVEN};            /* the answer of before reveals nothing new */
    if (!to || (rule->path < 6 && result != -ENOENT && !is_way_known(ring, rule, args, result)))
        return (struct answer){0, STOPS};
    if (!repeats || !noted_again(ring, to, nr, args, rule->nargs, result))
        noted(ring, to, nr, args, result);
    return (struct answer){result, GIVEN};
}

PART struct answer answered(struct ring *ring, const struct rule *rule, long nr, const uint64_t *args)
{
    struct record *r = next_of(ring);
    if (ring->at >= ring->end || !is_same_call(rule, nr, args, r)
        || (rule->kind == RULE_OPEN && (args[2] != r->args[2] || (r->result >= 0 && !opens_same(r, args)))))
        return (struct answer){0, STOPS};
    pass(ring, r);
    take(r, args);
    return (struct answer){r->result, GIVEN};
}

#include "fastpath/stub_any_order.h"
#include "fastpath/stub_output.h"
#include "fastpath/stub_change.h"

/* The ioctls of files, and those that name a process: see track/real_results.c, tracee/marshal.c. */
PART bool is_of_file(uint32_t command)
{
    uint32_t type = command >> 8 & 0xff;
    if (type == 0x89 ? command <= SIOCGPGRP : (command & 0xffff) == PIDFD_INFO)
        return true;
    return type == 'f' || type == 'v' || type == 'X' || type == 0x94 || command == FIGETBSZ || command == FIBMAP || command == FIOQSIZE;
}

/* The engine must learn of a descriptor that becomes non-blocking, of a standard descriptor that is closed (a pipe's reader may see that),
 * and of what depends on the file system. */
PART bool is_for_engine(const struct rule *rule, long nr, const uint64_t *args)
{
    return (rule->key < 6 && ((uint32_t)args[rule->key] == FIONBIO || is_of_file((uint32_t)args[rule->key])))
        || (nr == REX_NR_lseek && (uint32_t)args[2] >= SEEK_DATA) || (nr == REX_NR_close && (uint32_t)args[0] < FIRST_FD);
}

PART bool is_clone(const struct rule *rule, const uint64_t *args)
{
    return rule->kind == RULE_PLAIN && rule->key < 6 && (uint32_t)args[rule->key] == FICLONE;
}

STUB struct answer rex_stub_query(long nr, const uint64_t *args)
{
    const struct rule *rule = (const struct rule *)FAST_RULES + nr;
    struct answer none = {0, STOPS};
    uint64_t base, asked[6];
    __asm__ volatile("rdgsbase %0" : "=r"(base));
    if (base - FAST_RINGS >= RING_COUNT * RING_SIZE || (unsigned long)nr >= RULE_COUNT || !rule->kind)
        return none;
    if (rule->kind == RULE_PLAIN && !is_clone(rule, args))
        return (struct answer){0, is_for_engine(rule, nr, args) ? STOPS : PLAIN};
    struct ring *ring = (struct ring *)base;
    if (rule->kind == RULE_SAY && ((uint32_t)args[0] > 62 || !(ring->says >> (uint32_t)args[0] & 1)))
        return (struct answer){0, PLAIN};
    if (ring->busy || (rule->kind == RULE_OPEN && ring->replaying != IN_ORDER && !only_reads(args)))
        return none;
    if (ring->replaying == IN_ORDER && !ring->asks && ring->at < ring->end && is_repeat(ring) && time_again(ring, nr, args))
        return (struct answer){0, GIVEN};
    if (rule->place < 6 && ring->replaying && !is_reading_left(ring, rule, nr, args))
        return none;                      /* any caller */
    if (rule->place < 6 && !ask_who(ring, (const struct entry *)args, asked))
        return none;
    args = rule->place < 6 ? asked : args;
    ring->busy = 1;
    __asm__ volatile("" : : : "memory");
    struct answer answer = rule->kind == RULE_PLAIN ? cloned(ring, nr, args) : rule->kind == RULE_CHANGE ? (ring->replaying ? changed_again(ring, rule, nr, args) : changed(ring, rule, nr, args))
        : rule->kind == RULE_DUPLICATE ? duplicated(ring, nr, args) : rule->kind == RULE_SAY ? (ring->replaying ? said_again(ring, args) : said(ring, args))
        : ring->replaying == IN_ANY_ORDER ? answered_in_any_order(ring, rule, nr, args)
        : ring->replaying ? answered(ring, rule, nr, args) : rule->kind == RULE_OPEN ? opened(ring, rule, args)
        : performed(ring, rule, nr, args);
    __asm__ volatile("" : : : "memory");
    ring->busy = 0;
    return answer;
}

#include "fastpath/stub_counter.h"

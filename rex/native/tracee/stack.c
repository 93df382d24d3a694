/* The initial stack of a program: argument strings, environment, auxiliary vector.
 *
 *   sp -> argc | argv... 0 | envp... 0 | auxv (type, value)... 0 0 | random, platform, strings | path | 0
 *
 * It is logged whole at exec and put back whole at replay, so that what no call
 * brings (AT_RANDOM, the length of the path, hardware words) is as it was. */
#include "base/base.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <elf.h>

enum { STACK_TOP_SHIFT = 47, PAGE = 4096, LARGEST = 8 << 20 };
#define STACK_TOP ((1ULL << STACK_TOP_SHIFT) - PAGE)

bool stack_read(struct task *t, struct stack *s)
{
    struct user_regs_struct r = regs_get(t);
    s->at = r.rsp;
    s->image.used = 0;
    if (r.rsp >= STACK_TOP || STACK_TOP - r.rsp > LARGEST)
        return false;
    size_t n = STACK_TOP - r.rsp;
    if (!mem_read(t->tid, r.rsp, bytes_reserve(&s->image, n), n))
        return false;
    s->image.used = n;
    return true;
}

/* The first auxiliary entry, or NULL if the image is not as the kernel makes it. */
static Elf64_auxv_t *vector(unsigned char *image, size_t n)
{
    uint64_t *word = (uint64_t *)image, *end = word + n / 8;
    if (word == end)
        return NULL;
    word += 1 + word[0] + 1;
    while (word < end && *word)
        word++;
    return word + 1 < end ? (Elf64_auxv_t *)(word + 1) : NULL;
}

static Elf64_auxv_t *entry(unsigned char *image, size_t n, uint64_t type)
{
    Elf64_auxv_t *a = vector(image, n), *end = (Elf64_auxv_t *)(image + n - sizeof *a);
    for (; a && a <= end && a->a_type != AT_NULL; a++)
        if (a->a_type == type)
            return a;
    return NULL;
}

/* Where the program's random bytes are, 0 if there are none. */
uint64_t stack_random(struct stack *s)
{
    Elf64_auxv_t *a = entry(s->image.data, s->image.used, AT_RANDOM);
    return a ? a->a_un.a_val : 0;
}

/* Where a program's loader is, 0 without one, or if the loader is to print how long it took. */
uint64_t stack_loader(struct task *t)
{
    static const char asks[] = "\0LD_DEBUG=";
    struct stack s = {0};
    Elf64_auxv_t *a = stack_read(t, &s) && !memmem(s.image.data, s.image.used, asks, sizeof asks - 1)
        ? entry(s.image.data, s.image.used, AT_BASE) : NULL;
    uint64_t at = a ? a->a_un.a_val : 0;
    bytes_free(&s.image);
    return at;
}

/* Without the vDSO the C library makes real calls, which the tracer sees. */
void stack_hide_vdso(struct task *t, struct stack *s)
{
    Elf64_auxv_t *a = entry(s->image.data, s->image.used, AT_SYSINFO_EHDR);
    if (!a)
        return;
    a->a_type = AT_IGNORE;
    a->a_un.a_val = 0;
    mem_write(t->tid, s->at + (uint64_t)((unsigned char *)a - s->image.data), a, sizeof *a);
}

/* argc, argv, envp and auxv move down to make space for the name above them; the strings stay. */
void stack_rename(struct task *t, const char *name)
{
    struct stack s = {0};
    Elf64_auxv_t *a = stack_read(t, &s) ? entry(s.image.data, s.image.used, AT_EXECFN) : NULL;
    if (a) {
        Elf64_auxv_t *end = vector(s.image.data, s.image.used);
        while (end->a_type != AT_NULL)
            end++;
        size_t n = strlen(name) + 1, shift = (n + 15) & ~(size_t)15, block = (size_t)((unsigned char *)(end + 1) - s.image.data);
        struct user_regs_struct r = regs_get(t);
        a->a_un.a_val = s.at + block - shift;
        r.rsp = s.at - shift;
        if (mem_write(t->tid, r.rsp, s.image.data, block) && mem_write(t->tid, a->a_un.a_val, name, n))
            regs_set(t, &r);
    }
    bytes_free(&s.image);
}

/* Blanks the values of variables named, in a block of NUL-ended strings. */
void mask_variables(unsigned char *block, size_t n, const struct strings *names)
{
    for (size_t k = 0; k < names->count; k++) {
        size_t length = strlen(names->item[k]);
        for (unsigned char *p = block, *end = block + n; p + length < end; p++)
            if ((p == block || !p[-1]) && !memcmp(p, names->item[k], length) && p[length] == '=')
                for (p += length + 1; p < end && *p; p++)
                    *p = '*';
    }
}

/* What this machine decides: where the kernel mapped the program and its loader. */
static const uint64_t own[] = {AT_PHDR, AT_PHNUM, AT_PHENT, AT_BASE, AT_ENTRY, AT_MINSIGSTKSZ, AT_PAGESZ, AT_HWCAP2};

/* The strings of the stack stay as they are, since they are not those of the log: all else is. */
void stack_adopt(struct task *t, const unsigned char *image, size_t n)
{
    static const uint64_t said[] = {AT_HWCAP, AT_CLKTCK, AT_FLAGS, AT_UID, AT_EUID, AT_GID, AT_EGID, AT_SECURE};
    struct stack live = {0};
    struct bytes copy = {0};
    bytes_add(&copy, image, n);
    uint64_t base = STACK_TOP - n;
    for (size_t i = 0; stack_read(t, &live) && i < sizeof said / sizeof *said; i++) {
        Elf64_auxv_t *to = entry(live.image.data, live.image.used, said[i]), *from = entry(copy.data, n, said[i]);
        if (to && from)
            mem_write(t->tid, live.at + (uint64_t)((unsigned char *)&to->a_un - live.image.data), &from->a_un, sizeof from->a_un);
    }
    Elf64_auxv_t *random = entry(copy.data, n, AT_RANDOM), *name = entry(copy.data, n, AT_EXECFN);
    if (random && random->a_un.a_val >= base && random->a_un.a_val + 16 <= STACK_TOP)
        mem_write(t->tid, stack_random(&live), copy.data + (random->a_un.a_val - base), 16);
    if (name && name->a_un.a_val >= base && name->a_un.a_val < STACK_TOP && memchr(copy.data + (name->a_un.a_val - base), 0, STACK_TOP - name->a_un.a_val))
        stack_rename(t, (const char *)copy.data + (name->a_un.a_val - base));
    bytes_free(&copy);
    bytes_free(&live.image);
}

void stack_restore(struct task *t, uint64_t at, const unsigned char *image, size_t n)
{
    struct stack live = {0};
    struct bytes copy = {0};
    if (at + n == STACK_TOP && stack_read(t, &live)) {
        bytes_add(&copy, image, n);
        for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
            Elf64_auxv_t *to = entry(copy.data, n, own[i]);
            Elf64_auxv_t *from = entry(live.image.data, live.image.used, own[i]);
            if (to && from)
                to->a_un.a_val = from->a_un.a_val;
        }
        if (mem_write(t->tid, at, copy.data, n)) {
            struct user_regs_struct r = regs_get(t);
            r.rsp = at;
            regs_set(t, &r);
        }
    }
    bytes_free(&copy);
    bytes_free(&live.image);
}

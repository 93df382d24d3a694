/* Random numbers that the processor makes, as C++'s std::random_device draws them.
 *
 * No processor lets rdrand and rdseed fault.  So the instruction is changed in memory, by one byte, to
 * one that faults and that nobody uses: ud1 between registers.  The engine searches for it as
 * code is mapped: in programs, in libraries of a few megabytes, and in those that define random_device. */
#include "base/base.h"
#include "cpu/cpu.h"
#include "cpu/instruction_length.h"
#include "log/log.h"
#include "mode/mode.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <elf.h>
#include <emmintrin.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>

enum { ESCAPE = 0x0f, RANDOM = 0xc7, UD1 = 0xb9, LARGEST_CODE = 16 << 20, LARGEST_UNASKED = 8 << 20, LOOKS = 64, NEXT = 6 };

struct code { size_t count; uint64_t *at; };             /* offsets in a file of the byte to change */

/* ------------------------------------------------------------------ in files */

/* Whether an instruction acts on the carry flag: jumps, sets, moves, adds, or subtracts by it. */
static bool acts_on_carry(const unsigned char *op)
{
    bool is_immediate = *op == 0x80 || *op == 0x81 || *op == 0x83;
    if (*op == ESCAPE)
        return (op[1] & 0xfe) == 0x42 || (op[1] & 0xfe) == 0x82 || (op[1] & 0xfe) == 0x92;
    bool is_add = (*op & 0xf7) >= 0x10 && (*op & 0xf7) <= 0x15;
    return is_add || (*op & 0xfe) == 0x72 || (is_immediate && (op[1] & 0x30) == 0x10);
}

/* Both set the carry flag if there was a number: code that uses them tests it soon. */
static bool looks_at_carry(const unsigned char *code, size_t n)
{
    size_t opcode_at, length;
    for (int i = 0; i < NEXT && (length = instruction_length(code, n, &opcode_at)); i++, code += length, n -= length)
        if (acts_on_carry(code + opcode_at))
            return true;
    return false;
}

static void note(struct code *c, const unsigned char *code, size_t i, size_t n, uint64_t offset)
{
    if (n - i < 3 || code[i + 2] < 0xf0 || !instruction_begins(code, n, i) || !looks_at_carry(code + i + 3, n - i - 3))
        return;
    c->at = grow(c->at, c->count, sizeof *c->at);
    c->at[c->count++] = offset + i + 1;
}

static void find(struct code *c, const unsigned char *code, size_t n, uint64_t offset)
{
    const __m128i first = _mm_set1_epi8(ESCAPE), second = _mm_set1_epi8((char)RANDOM);
    size_t i = 0;
    for (; i + 17 <= n; i += 16) {
        __m128i a = _mm_loadu_si128((const void *)(code + i)), b = _mm_loadu_si128((const void *)(code + i + 1));
        int hits = _mm_movemask_epi8(_mm_and_si128(_mm_cmpeq_epi8(a, first), _mm_cmpeq_epi8(b, second)));
        for (; hits; hits &= hits - 1)
            note(c, code, i + (size_t)__builtin_ctz((unsigned)hits), n, offset);
    }
    for (; i + 2 < n; i++)
        if (code[i] == ESCAPE && code[i + 1] == RANDOM)
            note(c, code, i, n, offset);
}

static bool is_inside(uint64_t at, uint64_t n, uint64_t size)
{
    return at <= size && n <= size - at;
}

/* Whether one of its dynamic symbols, defined here, has to do with std::random_device. */
static bool defines_device(const unsigned char *file, uint64_t size)
{
    const Elf64_Ehdr *h = (const void *)file;
    if (h->e_shentsize != sizeof(Elf64_Shdr) || !is_inside(h->e_shoff, (uint64_t)h->e_shnum * sizeof(Elf64_Shdr), size))
        return false;
    const Elf64_Shdr *s = (const void *)(file + h->e_shoff);
    for (int i = 0; i < h->e_shnum; i++) {
        if (s[i].sh_type != SHT_DYNSYM || s[i].sh_link >= h->e_shnum || !is_inside(s[i].sh_offset, s[i].sh_size, size))
            continue;
        const Elf64_Shdr *strings = &s[s[i].sh_link];
        if (!is_inside(strings->sh_offset, strings->sh_size, size)
            || !memmem(file + strings->sh_offset, strings->sh_size, "random_device", 13))
            return false;
        const Elf64_Sym *symbol = (const void *)(file + s[i].sh_offset);
        for (uint64_t k = 0; k < s[i].sh_size / sizeof *symbol; k++) {
            const char *name = (const char *)file + strings->sh_offset + symbol[k].st_name;
            uint64_t left = symbol[k].st_name < strings->sh_size ? strings->sh_size - symbol[k].st_name : 0;
            if (symbol[k].st_shndx && memmem(name, strnlen(name, left), "random_device", 13))
                return true;
        }
    }
    return false;
}

static void find_in(struct code *c, const unsigned char *file, uint64_t size, bool is_program)
{
    const Elf64_Ehdr *h = (const void *)file;
    if (size < sizeof *h || memcmp(file, ELFMAG, SELFMAG) || h->e_ident[EI_CLASS] != ELFCLASS64
        || h->e_phentsize != sizeof(Elf64_Phdr) || !is_inside(h->e_phoff, (uint64_t)h->e_phnum * sizeof(Elf64_Phdr), size)
        || (!is_program && size > LARGEST_UNASKED && !defines_device(file, size)))
        return;
    const Elf64_Phdr *p = (const void *)(file + h->e_phoff);
    for (int i = 0; i < h->e_phnum; i++)
        if (p[i].p_type == PT_LOAD && p[i].p_flags & PF_X && p[i].p_filesz <= LARGEST_CODE
            && is_inside(p[i].p_offset, p[i].p_filesz, size))
            find(c, file + p[i].p_offset, (size_t)p[i].p_filesz, p[i].p_offset);
}

/* Looked for once in each file. */
static const struct code *code_of(const char *name, bool is_program, struct stat *st)
{
    static struct table known;
    struct code *c = NULL;
    if (!stat(name, st) && S_ISREG(st->st_mode)) {
        char key[96];
        snprintf(key, sizeof key, "%llx %llx %llx %lld.%ld", (ull)st->st_dev, (ull)st->st_ino, (ull)st->st_size,
                 (long long)st->st_mtim.tv_sec, st->st_mtim.tv_nsec);
        void **at = table_at(&known, key);
        if (!*at) {
            size_t size = (size_t)st->st_size;
            int fd = open(name, O_RDONLY | O_CLOEXEC);
            void *file = size && fd >= 0 ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
            *at = zalloc(sizeof *c);
            if (file != MAP_FAILED) {
                find_in(*at, file, size, is_program);
                munmap(file, size);
            }
            if (fd >= 0)
                close(fd);
        }
        c = *at;
    }
    return c && c->count ? c : NULL;
}

/* ------------------------------------------------------------------ in memory */

static void change_byte(struct task *t, uint64_t at)
{
    uint64_t word_at = at & ~7ULL, shift = (at & 7) * 8;
    errno = 0;
    long word = ptrace(PTRACE_PEEKTEXT, t->tid, word_at, 0);
    if (errno || (uint8_t)((unsigned long)word >> shift) != RANDOM)
        return;
    unsigned long changed = ((unsigned long)word & ~(0xffUL << shift)) | (unsigned long)UD1 << shift;
    ptrace(PTRACE_POKETEXT, t->tid, word_at, changed);
}

/* Whether the file is mapped as code by now. */
static bool change_mapped(struct task *t, const struct code *c, uint64_t inode)
{
    struct mapping m;
    bool found = false;
    FILE *f = mappings_open(t->tid);
    while (mappings_next(f, &m)) {
        if (m.rights[2] != 'x' || m.inode != inode)
            continue;
        found = true;
        for (size_t i = 0; i < c->count; i++)
            if (c->at[i] >= m.offset && c->at[i] - m.offset < m.to - m.from)
                change_byte(t, m.from + c->at[i] - m.offset);
    }
    if (f)
        fclose(f);
    return found;
}

static bool is_watching(void)
{
    return uses_log();
}

void random_executed(struct task *t)
{
    char name[40];
    struct stat st;
    snprintf(name, sizeof name, "/proc/%d/exe", t->tid);
    const struct code *c = is_watching() ? code_of(name, true, &st) : NULL;
    if (c)
        change_mapped(t, c, st.st_ino);
}

bool random_concerns(const char *path)
{
    const char *base = strrchr(path, '/');
    return strstr(base ? base : path, ".so");
}

/* A library that has been opened is mapped soon: until then all calls of the process stop. */
void random_opened(struct task *t, int fd, const char *path)
{
    char name[40];
    struct stat st;
    if (!is_watching() || !random_concerns(path) || (open_flags(t) & O_ACCMODE) != O_RDONLY)
        return;
    snprintf(name, sizeof name, "/proc/%d/fd/%d", t->tid, fd);
    const struct code *c = code_of(name, false, &st);
    if (!c)
        return;
    t->space->code = c;
    t->space->code_inode = st.st_ino;
    t->space->code_looks = LOOKS;
}

/* At each exit-stop. */
void random_returned(struct task *t)
{
    if (t->space && t->space->code && (change_mapped(t, t->space->code, t->space->code_inode) || !--t->space->code_looks))
        t->space->code = NULL;
}

/* ------------------------------------------------------------------ as it is executed */

static void set_register(struct user_regs_struct *r, int which, uint64_t value, int bytes)
{
    unsigned long long *const all[16] = {&r->rax, &r->rcx, &r->rdx, &r->rbx, &r->rsp, &r->rbp, &r->rsi, &r->rdi,
                                         &r->r8, &r->r9, &r->r10, &r->r11, &r->r12, &r->r13, &r->r14, &r->r15};
    uint64_t low = bytes == 8 ? ~0ULL : (1ULL << bytes * 8) - 1;
    *all[which] = (bytes == 2 ? *all[which] & ~low : 0) | (value & low);
}

/* An illegal instruction that was one of ours: [66] [rex] 0f b9 modrm. */
bool random_emulate(struct task *t)
{
    enum { CARRY = 1, FLAGS = 0x8d5 };
    unsigned char code[5] = {0}, *p = code, prefix = 0;
    struct user_regs_struct r = regs_get(t);
    bool half = false;
    for (size_t n = sizeof code; n > 2 && !mem_read(t->tid, r.rip, code, n); n--)
        ;
    if (*p == 0x66)
        half = *p++;
    if ((*p & 0xf0) == 0x40)
        prefix = *p++;
    if (!is_watching() || p[0] != ESCAPE || p[1] != UD1 || p[2] < 0xf0)
        return false;
    set_register(&r, (p[2] & 7) | (prefix & 1) << 3, run_mode->random(t), prefix & 8 ? 8 : half ? 2 : 4);
    r.eflags = (r.eflags & ~(ull)FLAGS) | CARRY;
    r.rip += (ull)(p - code) + 3;
    regs_set(t, &r);
    if (scheduler)
        scheduler->answered(t);
    return true;
}

uint64_t random_number(void)
{
    uint64_t value = 0;
    return getrandom(&value, sizeof value, 0) == sizeof value ? value : log_now();
}

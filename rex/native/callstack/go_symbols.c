/* Whether a caller belongs to the runtime of its language, for programs with a table of function names.
 *
 * Go programs have this table in .gopclntab (runtime/symtab.go, from Go 1.18 on):
 *
 *   magic, 0, 0, quantum, size of a pointer | functions | files | text | names | ... | functions from here
 *
 * Each field after the first has eight bytes.  The last is an array of pairs of four bytes each: where a function begins in the text,
 * and the offset of its description from the array.  A description begins with the same address, then the offset of the name. */
#include "base/base.h"
#include "callstack/callstack.h"
#include "fastpath/frames.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <elf.h>
#include <fcntl.h>

enum { CALLERS = 256, LONGEST = 16 };

/* at: of the table, in memory, 0: none. */
struct names { uint64_t at, text, count, names, functions; struct { uint64_t caller; bool is_runtime; } known[CALLERS]; };

/* ------------------------------------------------------------------ where it lies */

static bool read_all(int fd, void *to, size_t n, uint64_t at)
{
    return pread(fd, to, n, (off_t)at) == (ssize_t)n;
}

static bool ends_in(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n >= m && !strcmp(name + n - m, end);
}

/* As the file has it; 0: it has none. */
static uint64_t table_in(int fd, const Elf64_Ehdr *h)
{
    enum { MOST = 256, LONGEST_NAME = 32 };
    static Elf64_Shdr s[MOST];
    char name[LONGEST_NAME + 1] = "";
    if (h->e_shnum > MOST || h->e_shstrndx >= h->e_shnum || !read_all(fd, s, h->e_shnum * sizeof *s, h->e_shoff))
        return 0;
    for (int i = 0; i < h->e_shnum; i++) {
        ssize_t n = pread(fd, name, LONGEST_NAME, (off_t)(s[h->e_shstrndx].sh_offset + s[i].sh_name));
        name[n > 0 ? n : 0] = 0;
        if (ends_in(name, ".gopclntab"))
            return s[i].sh_addr;
    }
    return 0;
}

/* By how much the program lies further up than its file says. */
static uint64_t moved_by(const struct task *t, uint64_t entry)
{
    char name[32];
    Elf64_auxv_t a = {0};
    snprintf(name, sizeof name, "/proc/%d/auxv", t->tid);
    FILE *f = fopen(name, "re");
    while (f && fread(&a, sizeof a, 1, f) == 1 && a.a_type != AT_ENTRY && a.a_type != AT_NULL)
        ;
    if (f)
        fclose(f);
    return a.a_type == AT_ENTRY ? a.a_un.a_val - entry : 0;
}

static void find_table(struct task *t, struct names *n)
{
    struct { uint32_t magic; uint8_t zero[2], quantum, pointer; uint64_t functions, files, text, names, rest[3], at; } head;
    enum { GO_1_18 = 0xfffffff0, GO_1_20 = 0xfffffff1 };
    char name[32];
    Elf64_Ehdr h;
    snprintf(name, sizeof name, "/proc/%d/exe", t->tid);
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    bool is_elf = fd >= 0 && read_all(fd, &h, sizeof h, 0) && !memcmp(h.e_ident, ELFMAG, SELFMAG) && h.e_shentsize == sizeof(Elf64_Shdr);
    uint64_t at = is_elf ? table_in(fd, &h) : 0;
    if (fd >= 0)
        close(fd);
    at += at ? moved_by(t, h.e_entry) : 0;
    if (!at || !mem_read(t->tid, at, &head, sizeof head) || (head.magic != (uint32_t)GO_1_18 && head.magic != (uint32_t)GO_1_20) || head.pointer != sizeof at)
        return;
    n->at = at;
    n->text = head.text;
    n->count = head.functions;
    n->names = at + head.names;
    n->functions = at + head.at;
}

/* ------------------------------------------------------------------ names */

/* The name of the function that holds the instruction, cut to the size of the buffer. */
static bool name_of(struct task *t, const struct names *n, uint64_t pc, char *name)
{
    uint32_t pair[2];
    uint64_t low = 0, high = n->count;
    while (high - low > 1 && high > low) {
        uint64_t middle = low + (high - low) / 2;
        if (!mem_read(t->tid, n->functions + middle * sizeof pair, pair, sizeof pair))
            return false;
        if (n->text + pair[0] <= pc)
            low = middle;
        else
            high = middle;
    }
    name[LONGEST] = 0;
    return mem_read(t->tid, n->functions + low * sizeof pair, pair, sizeof pair) && mem_read(t->tid, n->functions + pair[1], pair, sizeof pair)
        && mem_read(t->tid, n->names + pair[1], name, LONGEST);
}

/* The beginnings of names: of what a runtime does, and of what it does for its program. */
static const char *const reads[] = {"runtime.nanotime", NULL}, *const answers[] = {"time.Now", "time.Since", "time.Until", NULL},
    *const schedules[] = {"runtime.", "time.", "internal/poll.", NULL};

static bool begins(const char *name, const char *const *with)
{
    while (*with && strncmp(name, *with, strlen(*with)))
        with++;
    return *with;
}

/* The nearest function that is not there to read the clock.  Limits of time are set by what they will be compared with. */
static bool is_runtime_near(struct task *t, const struct names *n)
{
    char name[LONGEST + 1];
    uint64_t frame[2] = {t->regs.rbp, 0};
    for (int i = 0; i < FRAMES_ASKED && mem_read(t->tid, frame[0], frame, sizeof frame); i++) {
        if (!name_of(t, n, frame[1] - 1, name))
            return false;
        if (!begins(name, reads))
            return begins(name, schedules) && !begins(name, answers);
    }
    return false;
}

bool is_runtime(struct task *t, uint64_t caller)
{
    struct names *n = t->space->names;
    if (!n) {
        n = t->space->names = zalloc(sizeof *n);
        find_table(t, n);
    }
    size_t i = caller / 2 % CALLERS;
    if (n->at && n->known[i].caller != caller) {
        n->known[i].caller = caller;
        n->known[i].is_runtime = is_runtime_near(t, n);
    }
    return n->at && n->known[i].is_runtime;
}

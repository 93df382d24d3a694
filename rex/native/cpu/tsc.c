/* The processor's counter, which programs read without a call.
 *
 * A loader measures itself with it, eight times a program, for LD_DEBUG=statistics only.  Unless that is
 * set, its readings are not logged, and once seen they are removed from its code. */
#include "base/base.h"
#include "cpu/cpu.h"
#include "cpu/internal.h"
#include "fastpath/pace.h"
#include "log/log.h"
#include "mode/mode.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <elf.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <x86intrin.h>

enum { MOST_SITES = 32, RDTSC_SIZE = 2 };
static const unsigned char nop[RDTSC_SIZE] = {0x66, 0x90};     /* leaves also the flags as they were */
static struct site { uint64_t at, word; } sites[MOST_SITES];    /* in loaders: from their beginning; what is there */
static int site_count;

/* ------------------------------------------------------------------ the loader's readings */

static void take_out(struct task *t, const struct site *s)
{
    uint64_t word = s->word;
    memcpy(&word, nop, sizeof nop);
    ptrace(PTRACE_POKETEXT, t->tid, t->space->loader.at + s->at, word);
}

/* From where to where a loader's code goes, by its headers in memory. */
static void find_code(struct task *t)
{
    enum { MOST_PARTS = 16 };
    Elf64_Ehdr h;
    Elf64_Phdr p[MOST_PARTS];
    uint64_t base = t->space->loader.at;
    if (!mem_read(t->tid, base, &h, sizeof h) || memcmp(h.e_ident, ELFMAG, SELFMAG) || h.e_phnum > MOST_PARTS
        || h.e_phentsize != sizeof *p || !mem_read(t->tid, base + h.e_phoff, p, h.e_phnum * sizeof *p))
        return;
    for (int i = 0; i < h.e_phnum; i++)
        if (p[i].p_type == PT_LOAD && p[i].p_flags & PF_X) {
            t->space->loader.code = base + p[i].p_vaddr;
            t->space->loader.code_size = p[i].p_memsz;
        }
}

void tsc_executed(struct task *t)
{
    uint64_t words[MOST_SITES], base;
    struct iovec here = {words, sizeof words}, there[MOST_SITES];
    if (!(base = t->space->loader.at = stack_loader(t)))
        return;
    find_code(t);
    for (int i = 0; i < site_count; i++)
        there[i] = (struct iovec){(void *)(base + sites[i].at), sizeof *words};
    ssize_t got = process_vm_readv(t->tid, &here, 1, there, (unsigned long)site_count, 0);
    for (int i = 0; i < got / (ssize_t)sizeof *words; i++)
        if (words[i] == sites[i].word)
            take_out(t, &sites[i]);
}

static bool is_in_loader(const struct space *s, uint64_t at)
{
    return at - s->loader.code < s->loader.code_size;
}

static void learn_site(struct task *t, uint64_t at)
{
    struct site site = {at - t->space->loader.at, 0};
    int i = 0;
    while (i < site_count && sites[i].at != site.at)
        i++;
    if (i == MOST_SITES || !mem_read(t->tid, at, &site.word, sizeof site.word))
        return;
    sites[i] = site;
    site_count += i == site_count;
    take_out(t, &site);
}

/* ------------------------------------------------------------------ all readings */

/* Who reads it, wherever its library lies: the instruction's place in its page, and what is there. */
static uint64_t caller_of_word(struct task *t, uint64_t at, uint64_t word)
{
    uint64_t words[2] = {at & 0xfff, word};
    counter_restore(t, at, (unsigned char *)&words[1], sizeof words[1]);
    return hash_bytes(words, sizeof words, 0) | 1;
}

uint64_t tsc_caller_at(struct task *t, uint64_t at)
{
    uint64_t word = 0;
    mem_read(t->tid, at, &word, sizeof word);
    return caller_of_word(t, at, word);
}

static struct { uint64_t at, word; } met;            /* the instruction that faulted */

uint64_t tsc_caller(struct task *t)
{
    uint64_t caller = counter_caller(t, met.at);
    return caller ? caller : caller_of_word(t, met.at, met.word);
}

/* rdtsc and rdtscp fault, because the first process has set that. */
bool tsc_emulate(struct task *t)
{
    unsigned char code[sizeof met.word];
    struct user_regs_struct r = regs_get(t);
    met.at = r.rip;
    met.word = 0;
    mem_read(t->tid, met.at, &met.word, sizeof met.word);         /* at the end of what is mapped a part of it */
    memcpy(code, &met.word, sizeof code);
    bool plain = code[0] == 0x0f && code[1] == 0x31;
    bool aux = code[0] == 0x0f && code[1] == 0x01 && code[2] == 0xf9;
    if (!plain && !aux)
        return false;
    size_t size = aux ? 3 : 2;
    bool is_quiet = plain && is_in_loader(t->space, r.rip), waits = !is_quiet && polls_read(t, &r, size);
    uint64_t value = 0;
    uint32_t ecx = 0;
    if (is_quiet)
        learn_site(t, r.rip);
    else {
        run_mode->tsc(t, aux, &value, &ecx);
        r.rax = (uint32_t)value;
        r.rdx = value >> 32;
        r.rcx = aux ? ecx : r.rcx;
        t->returned_at = r.rip + size;
        if (scheduler)
            scheduler->answered(t);
    }
    r.rip += size;
    regs_set(t, &r);
    if (!is_quiet && !waits)
        counter_met(t, met.at, size);
    return true;
}

/* ------------------------------------------------------------------ what it says */

/* Tracees may not read it, and to allow it for one reading costs as much as a stop.  So once some site reads it often, all get
 * values that are computed from a clock that does not leap, which the kernel computes from the counter. */
static struct pace began, pace;

static struct pace pace_now(void)
{
    enum { TRIES = 5 };
    struct pace best = {0, 0, UINT64_MAX};
    tsc_allow(true);
    for (int i = 0; i < TRIES; i++) {
        uint64_t from = clock_ns(CLOCK_MONOTONIC_RAW), ticks = __rdtsc(), to = clock_ns(CLOCK_MONOTONIC_RAW);
        if (to - from < best.scale)
            best = (struct pace){from + (to - from) / 2, ticks, to - from};
    }
    tsc_allow(false);
    return best;
}

void tsc_start(void)
{
    if (run_mode->logs && run_mode->is_fast)
        began = pace_now();
}

const struct pace *tsc_pace(void)
{
    enum { EXACT_NS = 10000000 };            /* then it is so by some millionths */
    if (pace.scale)
        return &pace;
    if (clock_ns(CLOCK_MONOTONIC_RAW) - began.ns < EXACT_NS)
        return NULL;
    struct pace now = pace_now();
    __extension__ unsigned __int128 ticks = now.ticks - began.ticks;
    now.scale = (uint64_t)((ticks << 32) / (now.ns - began.ns));
    pace = now;
    return &pace;
}

uint64_t tsc_read(bool with_aux, uint32_t *aux)
{
    unsigned processor = 0, node = 0;
    uint64_t value;
    if (pace.scale) {
        if (with_aux)
            syscall(SYS_getcpu, &processor, &node, NULL);
        *aux = node << 12 | processor;       /* as Linux has it */
        return ticks_at(&pace, clock_ns(CLOCK_MONOTONIC_RAW));
    }
    tsc_allow(true);
    value = with_aux ? __rdtscp(aux) : __rdtsc();
    tsc_allow(false);
    return value;
}

/* Sanitizers and valgrind read it in our name: REX_TSC=1 leaves it to us. */
void tsc_allow(bool allowed)
{
    const char *own = getenv("REX_TSC");
    if (own && *own == '1')
        return;
    prctl(PR_SET_TSC, allowed ? PR_TSC_ENABLE : PR_TSC_SIGSEGV, 0, 0, 0);
}

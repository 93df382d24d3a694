/* The call stack of a system call: the functions that led to it, as one hash.
 *
 * Where a function keeps its return address depends on the current instruction.  Compilers describe
 * this in .eh_frame.  The description of a frame (FDE) is a small program of rows, one for each
 * range of instructions; descriptions share a common first part (CIE).  .eh_frame_hdr sorts them
 * by address.  All of it lies in the tracee's memory. */
#include "base/base.h"
#include "callstack/callstack.h"
#include "fastpath/area.h"
#include "fastpath/fastpath.h"
#include "fastpath/frames.h"
#include "tracee/task.h"
#include "tracee/tracee.h"
#include "mode/mode.h"

#include <elf.h>

enum { RBP = 6, RSP = 7, RETURN = 16, LONGEST = 4096, DEPTH = 8 };

struct reader { const unsigned char *at, *end; };
struct row { uint64_t base; int64_t size, rbp; bool is_known; };
struct rows { struct row now, first, kept[DEPTH]; int depth; uint64_t at, factor; int64_t unit; };

/* ------------------------------------------------------------------ numbers */

static uint64_t take(struct reader *r, size_t n)
{
    uint64_t value = 0;
    if ((size_t)(r->end - r->at) < n) {
        r->at = r->end;
        return 0;
    }
    memcpy(&value, r->at, n);
    r->at += n;
    return value;
}

static uint64_t take_leb(struct reader *r, bool is_signed)
{
    uint64_t value = 0, byte = 0x80;
    unsigned shift = 0;
    for (; byte & 0x80 && r->at < r->end && shift < 64; shift += 7)
        value |= ((byte = take(r, 1)) & 0x7f) << shift;
    return is_signed && byte & 0x40 && shift < 64 ? value | ~0ULL << shift : value;
}

/* ------------------------------------------------------------------ a program of rows */

static void set_register(struct rows *p, uint64_t which, int64_t at)
{
    if (which == RBP)
        p->now.rbp = at;
}

/* By an expression, or another register: we do not follow that. */
static void lose(struct rows *p, uint64_t which)
{
    p->now.is_known &= which != RBP && which != RETURN;
}

static void define(struct rows *p, uint64_t base, int64_t size)
{
    p->now.base = base;
    p->now.size = size;
}

static void run_extended(struct rows *p, struct reader *r, unsigned op)
{
    uint64_t which, n;
    switch (op) {
    case 0x00: break;                                                       /* nop */
    case 0x02: p->at += take(r, 1) * p->factor; break;                      /* advance_loc1, 2, 4 */
    case 0x03: p->at += take(r, 2) * p->factor; break;
    case 0x04: p->at += take(r, 4) * p->factor; break;
    case 0x05: which = take_leb(r, false); set_register(p, which, (int64_t)take_leb(r, false) * p->unit); break;
    case 0x06: set_register(p, take_leb(r, false), p->first.rbp); break;    /* restore_extended */
    case 0x07: lose(p, take_leb(r, false)); break;                          /* undefined: of the return address, the first function */
    case 0x08: set_register(p, take_leb(r, false), 0); break;               /* same_value */
    case 0x09: lose(p, take_leb(r, false)); take_leb(r, false); break;      /* register */
    case 0x0a: p->kept[p->depth++ % DEPTH] = p->now; break;                 /* remember_state, restore_state */
    case 0x0b: p->now = p->kept[--p->depth & (DEPTH - 1)]; break;
    case 0x0c: which = take_leb(r, false); define(p, which, (int64_t)take_leb(r, false)); break;    /* def_cfa and its variants */
    case 0x0d: define(p, take_leb(r, false), p->now.size); break;
    case 0x0e: define(p, p->now.base, (int64_t)take_leb(r, false)); break;
    case 0x11: which = take_leb(r, false); set_register(p, which, (int64_t)take_leb(r, true) * p->unit); break;
    case 0x12: which = take_leb(r, false); define(p, which, (int64_t)take_leb(r, true) * p->unit); break;
    case 0x13: define(p, p->now.base, (int64_t)take_leb(r, true) * p->unit); break;
    case 0x10: case 0x16:                                                   /* expressions */
        lose(p, take_leb(r, false));
        n = take_leb(r, false);
        r->at += n < (uint64_t)(r->end - r->at) ? n : (uint64_t)(r->end - r->at);
        break;
    case 0x2e: take_leb(r, false); break;                                   /* GNU_args_size */
    default:
        p->now.is_known = false;
        r->at = r->end;
    }
}

/* Up to the row of an instruction. */
static void run(struct rows *p, struct reader r, uint64_t pc)
{
    while (r.at < r.end) {
        unsigned op = (unsigned)take(&r, 1), low = op & 0x3f;
        if (op >> 6 == 1)
            p->at += low * p->factor;
        else if (op >> 6 == 2)
            set_register(p, low, (int64_t)take_leb(&r, false) * p->unit);
        else if (op >> 6 == 3)
            set_register(p, low, p->first.rbp);
        else
            run_extended(p, &r, op);
        if (p->at > pc)
            return;
    }
}

/* ------------------------------------------------------------------ descriptions */

/* Its length and what follows, in full. */
static bool entry_at(struct task *t, uint64_t at, unsigned char *room, struct reader *r)
{
    uint32_t n;
    if (!mem_read(t->tid, at, &n, sizeof n) || !n || n > LONGEST || !mem_read(t->tid, at + sizeof n, room, n))
        return false;
    *r = (struct reader){room, room + n};
    return true;
}

/* With addresses as compilers write them: four bytes, from where they stand. */
static bool begin_rows(struct task *t, uint64_t at, struct rows *p, bool *is_augmented)
{
    enum { RELATIVE_4 = 0x1b };
    static unsigned char room[LONGEST];
    struct reader r;
    if (!entry_at(t, at, room, &r) || take(&r, 4) != 0)
        return false;
    take(&r, 1);
    const char *letters = (const char *)r.at;
    size_t n = strnlen(letters, (size_t)(r.end - r.at));
    take(&r, n + 1 < 8 ? n + 1 : 8);
    p->factor = take_leb(&r, false);
    p->unit = (int64_t)take_leb(&r, true);
    if (n > 6 || take_leb(&r, false) != RETURN || strchr(letters, 'S'))
        return false;
    *is_augmented = *letters == 'z';
    uint64_t length = *is_augmented ? take_leb(&r, false) : 0;
    struct reader data = {r.at, r.at + (length < (uint64_t)(r.end - r.at) ? length : 0)};
    bool is_relative = false;
    for (const char *c = letters + 1; *is_augmented && *c; c++) {
        static const unsigned char widths[16] = {8, 0, 2, 4, 8, 0, 0, 0, 0, 0, 2, 4, 8};
        unsigned form = (unsigned)take(&data, 1);
        is_relative |= *c == 'R' && form == RELATIVE_4;
        if (*c == 'P')
            take(&data, widths[form & 15]);
    }
    r.at = data.end;
    p->now.is_known = is_relative;
    run(p, r, UINT64_MAX);
    p->first = p->now;
    return is_relative;
}

static bool row_of(struct task *t, uint64_t at, uint64_t pc, struct row *row)
{
    static unsigned char room[LONGEST];
    struct rows p = {.now.base = RSP};
    struct reader r;
    bool is_augmented;
    if (!entry_at(t, at, room, &r))
        return false;
    uint64_t family = at + 4 - (uint32_t)take(&r, 4);
    uint64_t begins = at + 8 + (uint64_t)(int64_t)(int32_t)take(&r, 4), length = take(&r, 4);
    if (pc < begins || pc - begins >= length || !begin_rows(t, family, &p, &is_augmented))
        return false;
    uint64_t more = is_augmented ? take_leb(&r, false) : 0;
    r.at += more < (uint64_t)(r.end - r.at) ? more : (uint64_t)(r.end - r.at);
    p.at = begins;
    run(&p, r, pc);
    *row = p.now;
    return row->is_known && (row->base == RSP || row->base == RBP);
}

struct row_place { int32_t begins, at; };    /* of a function and its description, from the table's header */

static bool begins_by(uint64_t header, const struct row_place *p, uint64_t pc)
{
    return header + (uint64_t)(int64_t)p->begins <= pc;
}

/* The description that begins last before it, from the table of .eh_frame_hdr: 0 without.  It is halved in the tracee until
 * the rest is a page, which is read at once. */
static uint64_t described(struct task *t, uint64_t header, uint64_t pc)
{
    static const unsigned char usual[4] = {1, 0x1b, 0x03, 0x3b};            /* numbers of four bytes, from here or the table */
    struct { unsigned char form[4]; int32_t frames; uint32_t count; } h;
    enum { AT_ONCE = 512 };
    struct row_place place[AT_ONCE], *p = place;
    if (!mem_read(t->tid, header, &h, sizeof h) || memcmp(h.form, usual, sizeof usual))
        return 0;
    uint64_t at = header + sizeof h;
    uint32_t count = h.count;
    while (count > AT_ONCE) {
        uint32_t half = count / 2;
        if (!mem_read(t->tid, at + half * sizeof *p, p, sizeof *p))
            return 0;
        bool is_above = begins_by(header, p, pc);
        at += is_above ? half * sizeof *p : 0;
        count = is_above ? count - half : half;
    }
    if (!count || !mem_read(t->tid, at, place, count * sizeof *p))
        return 0;
    for (uint32_t half; (half = count / 2); ) {
        bool is_above = begins_by(header, p + half, pc);
        p += is_above ? half : 0;
        count = is_above ? count - half : half;
    }
    return header + (uint64_t)(int64_t)p->at;
}

/* ------------------------------------------------------------------ mapped files */

/* Those that were found before, as there may be a thousand mappings to look through. */
enum { FILES_KNOWN = 32 };
struct known_files { size_t count; struct known_file { uint64_t from, to, begins; } file[FILES_KNOWN]; };

static uint64_t known_begins(const struct task *t, uint64_t pc)
{
    const struct known_files *known = t->space->files;
    for (size_t i = 0; known && i < known->count && i < FILES_KNOWN; i++)
        if (pc >= known->file[i].from && pc < known->file[i].to)
            return known->file[i].begins;
    return 0;
}

static void note_file(struct task *t, const struct mapping *m, uint64_t begins)
{
    if (!t->space->files)
        t->space->files = zalloc(sizeof *t->space->files);
    t->space->files->file[t->space->files->count++ % FILES_KNOWN] = (struct known_file){m->from, m->to, begins};
}

/* Where the file begins whose code has the instruction; 0: it is of no file. */
static uint64_t file_begins(struct task *t, uint64_t pc)
{
    struct mapping m;
    uint64_t begins = 0, found = 0;
    FILE *f = mappings_open(t->tid);
    while (!found && mappings_next(f, &m)) {
        if (!m.inode)
            continue;
        begins = m.offset ? begins : m.from;
        found = pc >= m.from && pc < m.to ? begins : 0;
    }
    if (f)
        fclose(f);
    if (found)
        note_file(t, &m, found);
    return found;
}

static uint64_t frames_header(struct task *t, uint64_t at)
{
    Elf64_Ehdr h;
    Elf64_Phdr p[32];
    uint64_t lowest = UINT64_MAX, header = 0;
    if (!at || !mem_read(t->tid, at, &h, sizeof h) || memcmp(h.e_ident, ELFMAG, SELFMAG) || h.e_phnum > 32
        || !mem_read(t->tid, at + h.e_phoff, p, h.e_phnum * sizeof *p))
        return 0;
    for (int i = 0; i < h.e_phnum; i++) {
        lowest = p[i].p_type == PT_LOAD && p[i].p_vaddr < lowest ? p[i].p_vaddr : lowest;
        header = p[i].p_type == PT_GNU_EH_FRAME ? p[i].p_vaddr : header;
    }
    return header ? at - (lowest & ~4095ULL) + header : 0;
}

/* ------------------------------------------------------------------ what is known of an address space */

static struct frame find_in(struct task *t, uint64_t pc, uint64_t begins)
{
    struct frame f = {.pc = pc, .last = begins ? IN_FILE : IN_NO_FILE};
    struct row row;
    uint64_t header = frames_header(t, begins), at = header ? described(t, header, pc - 1) : 0;
    if (!at || !row_of(t, at, pc - 1, &row) || row.size <= 0 || row.size > FRAMES_REACH || row.rbp > 0 || row.rbp < -FRAMES_REACH)
        return f;
    return (struct frame){pc, (int32_t)row.size, (int16_t)row.rbp, row.base == RBP, 0};
}

/* Where another file has taken the place of a known one, that has no description of the instruction. */
static struct frame find(struct task *t, uint64_t pc)
{
    struct frame f = find_in(t, pc, pc ? known_begins(t, pc - 1) : 0);
    return f.last && pc ? find_in(t, pc, file_begins(t, pc - 1)) : f;
}

/* Threads may be looking at it: what it says of the instruction comes first. */
static void lay(struct task *t, size_t i)
{
    const struct frame *f = &t->space->frames[i];
    uint64_t at = FAST_FRAMES + i * sizeof *f, none = 0;
    mem_write(t->tid, at, &none, sizeof none);
    mem_write(t->tid, at + sizeof none, (const char *)f + sizeof none, sizeof *f - sizeof none);
    mem_write(t->tid, at, &f->pc, sizeof f->pc);
}

static void learn(struct task *t, uint64_t pc)
{
    struct frame *known = t->space->frames;
    size_t i = pc * 0x9e3779b97f4a7c15ULL >> 53, k = 0;
    while (k < FRAME_TRIES && known[(i + k) % FRAME_SLOTS].pc)
        k++;
    i = (i + k % FRAME_TRIES) % FRAME_SLOTS;
    known[i] = find(t, pc);
    if (fast_is_mapped(t))
        lay(t, i);
}

static void unwind_lay(struct task *t)
{
    for (size_t i = 0; t->space->frames && i < FRAME_SLOTS; i++)
        if (t->space->frames[i].pc)
            lay(t, i);
}

static void unwind_copy(struct space *to, const struct space *from)
{
    if (!from->frames)
        return;
    to->frames = zalloc(FRAME_SLOTS * sizeof *to->frames);
    memcpy(to->frames, from->frames, FRAME_SLOTS * sizeof *to->frames);
}

/* ------------------------------------------------------------------ */

bool is_caller_by_tables(uint64_t caller)
{
    return (caller & BY_TABLES) == BY_TABLES;
}

/* Frames lie near each other: what is read for one mostly has the next. */
struct window { pid_t tid; uint64_t from; size_t size; unsigned char data[512]; };

static bool read_two(void *of, uint64_t at, uint64_t *two)
{
    struct window *w = of;
    enum { SIZE = 2 * sizeof *two };
    if (at < w->from || at + SIZE > w->from + w->size) {
        w->from = at;
        w->size = mem_read(w->tid, at, w->data, sizeof w->data) ? sizeof w->data : mem_read(w->tid, at, w->data, SIZE) ? SIZE : 0;
    }
    memcpy(two, w->data + (at - w->from), w->size ? SIZE : 0);
    return w->size;
}

static uint64_t by_pointers(const struct task *t, int frames)
{
    struct window w = {.tid = t->tid};
    return caller_by_pointers(read_two, &w, t->regs.rbp, frames);
}

static uint8_t last_end;

/* From where the program counter and stack pointer are. */
static uint64_t caller_by_tables(struct task *t, uint64_t pc, uint64_t sp, int frames)
{
    static unsigned char stack[FRAMES_REACH + 8];
    uint64_t missing, caller = 0, whole = FRAMES_REACH;
    if (!t->space->frames)
        t->space->frames = zalloc(FRAME_SLOTS * sizeof *t->space->frames);
    if (!mem_read(t->tid, sp, stack, whole)) {
        whole = 4096 - (sp & 4095);
        memset(stack + whole, 0, sizeof stack - whole);
        if (!mem_read(t->tid, sp, stack, whole))
            return 0;
    }
    for (int i = 0; !caller && i < 2 * frames; i++)
        if (!(caller = callstack_walk(t->space->frames, pc, sp, t->regs.rbp, (uint64_t)(uintptr_t)stack - sp, frames, &missing)))
            learn(t, missing);
    const struct frame *end = frame_of(t->space->frames, missing);
    last_end = end ? end->last : 0;
    return caller;
}

uint64_t callstack_hash(struct task *t)
{
    uint64_t caller = caller_by_tables(t, t->regs.rip, t->regs.rsp, FRAMES_ASKED);
    return caller == NO_FUNCTION ? by_pointers(t, FRAMES_ASKED) : caller;
}

bool is_by_pointers(struct task *t)
{
    return caller_by_tables(t, t->regs.rip, t->regs.rsp, 1) == NO_FUNCTION;
}

/* Who draws random bytes is some functions further up, as libraries have theirs to draw by. */
uint64_t drawer_of(struct task *t)
{
    return is_by_pointers(t) ? by_pointers(t, DRAWERS_ASKED) : 0;
}

bool caller_ends_in_file(void)
{
    return last_end == IN_FILE;
}

/* The C library's tables end before the call: they would not hold in the thread.  Its function has nothing on the stack. */
uint64_t maker_of(struct task *t)
{
    uint64_t pc = 0;
    mem_read(t->tid, t->regs.rsp, &pc, sizeof pc);
    uint64_t caller = caller_by_tables(t, pc, t->regs.rsp + sizeof pc, MAKERS_ASKED);
    return caller == NO_FUNCTION ? 0 : caller;
}

const struct observer callstack_observer = {.space_copied = unwind_copy, .area_mapped = unwind_lay};

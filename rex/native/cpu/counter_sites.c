/* Sites that read the processor's counter often: the instruction and the one after it become a jump to a slot, which has the
 * stub of the fast path read a clock, note the event, or take it from the log, does the second instruction and jumps back.
 *
 * The place between both instructions stays one where a thread may go on, whether it jumps there or comes back from a signal:
 * the byte of the jump that lies there is one that no instruction begins with, by the choice of where the slot is.  What comes
 * there faults, and goes on in the slot.  For that the slot's address has a byte that is given, so that a larger area is needed:
 *
 *   rdtsc:   e9 .. 06 .. ..  [rest]          rdtscp:  e9 .. .. 06 ..  [rest] */
#include "base/base.h"
#include "cpu/cpu.h"
#include "cpu/instruction_length.h"
#include "cpu/internal.h"
#include "fastpath/area.h"
#include "fastpath/fastpath.h"
#include "fastpath/pace.h"
#include "mode/mode.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <sys/mman.h>

enum { OFTEN = 8, MOST = 48, JUMP = 5, NO_INSTRUCTION = 0x06, LONGEST = 15, AREA_SIZE = 16 << 20, AREAS = 2 };

/* Within reach of libraries, above the area of fastpath/area.h, and of a program's own code, below it: no mapping comes there by itself. */
static const uint64_t areas[AREAS] = {FAST_AT + (16 << 20), 0x555550000000};

extern const unsigned char rex_stub_counter[];

struct counter {
    uint64_t at, slot;               /* 0: none yet */
    unsigned char there[JUMP], jump[JUMP];
    uint8_t size;                    /* of the instruction */
    bool refused;
    unsigned faults;
};
struct counters { size_t count; bool has_area[AREAS], has_sites; struct counter item[MOST]; };

static void counter_copy(struct space *to, const struct space *from)
{
    if (!from->counters)
        return;
    to->counters = zalloc(sizeof *to->counters);
    *to->counters = *from->counters;
}

bool counter_has_sites(const struct task *t)
{
    return t->space->counters && t->space->counters->has_sites;
}

/* ------------------------------------------------------------------ what may be changed */

static bool is_by_place(unsigned char modrm)
{
    return (modrm & 0xc7) == 5;
}

/* Whether an instruction does the same elsewhere: a few that are common there are known to.  Its length, 0: it may not. */
static size_t movable(const unsigned char *code, size_t n)
{
    static const unsigned char between[] = {0x01, 0x03, 0x09, 0x0b, 0x21, 0x23, 0x29, 0x2b, 0x31, 0x33, 0x39, 0x3b, 0x63,
                                            0x81, 0x83, 0x85, 0xc1, 0xd1};
    static const unsigned char wide[] = {0xb6, 0xb7, 0xbe, 0xbf, 0xaf};
    size_t op = 0, length = instruction_length(code, n, &op);
    if (!length || op > 1 || (op == 1 && (code[0] & 0xf0) != 0x40) || op + 2 > length)
        return 0;
    unsigned char modrm = code[op + 1];
    if (code[op] == 0x89 || code[op] == 0x8b)
        return is_by_place(modrm) ? 0 : length;
    if (memchr(between, code[op], sizeof between))
        return is_between_registers(modrm) ? length : 0;
    if (code[op] >= 0xb8 && code[op] <= 0xbf)
        return length;
    if (code[op] == 0x0f && op + 3 <= length && is_between_registers(code[op + 2]))
        return memchr(wide, code[op + 1], sizeof wide) || (code[op + 1] == 0xae && code[op + 2] >= 0xe8) ? length : 0;
    return 0;
}

/* Of a file, and nobody's to write: code that is made as the program runs may be moved by it, or be changed in part. */
static bool is_of_file(const struct task *t, uint64_t at)
{
    struct mapping m = {0};
    FILE *f = mappings_open(t->tid);
    while (mappings_next(f, &m) && m.to <= at)
        ;
    if (f)
        fclose(f);
    return at >= m.from && at < m.to && m.inode && !memcmp(m.rights, "r-xp", sizeof m.rights);
}

/* ------------------------------------------------------------------ slots */

static bool is_free(const struct counters *c, uint64_t slot)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->item[i].slot == slot)
            return false;
    return true;
}

static void put_distance(unsigned char *to, uint64_t from, uint64_t place)
{
    int32_t distance = (int32_t)(place - from);
    memcpy(to, &distance, sizeof distance);
}

/* A place whose jump has the byte that begins no instruction where the second one began. */
static uint64_t place_of_slot(const struct counters *c, const struct counter *site, uint64_t area)
{
    for (uint64_t slot = area; slot + sizeof(struct counter_slot) <= area + AREA_SIZE; slot += sizeof(struct counter_slot)) {
        unsigned char jump[JUMP];
        put_distance(jump + 1, site->at + JUMP, slot);
        if (jump[site->size] == NO_INSTRUCTION && is_free(c, slot))
            return slot;
    }
    return 0;
}

static bool is_near(uint64_t at, uint64_t area)
{
    enum { MARGIN = 64 << 20 };
    return at < area ? area - at < (uint64_t)INT32_MAX - MARGIN : at - area < (uint64_t)INT32_MAX - MARGIN;
}

/* 0: none can be there. */
static uint64_t area_near(struct task *t, struct counters *c, uint64_t at)
{
    for (int i = 0; i < AREAS; i++) {
        const uint64_t args[6] = {areas[i], AREA_SIZE, PROT_READ | PROT_EXEC,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, (uint64_t)-1, 0};
        if (!is_near(at, areas[i]))
            continue;
        c->has_area[i] = c->has_area[i] || (own_memory_add(t, AREA_SIZE) && (uint64_t)call_now(t, REX_NR_mmap, args) == areas[i]);
        return c->has_area[i] ? areas[i] : 0;
    }
    return 0;
}

static struct counter_slot slot_of(const struct counter *site, const unsigned char *code, size_t moved, uint64_t caller)
{
    struct counter_slot s = {
        .lower = {0x48, 0x8d, 0x64, 0x24, 0x80},                             /* lea -128(%rsp),%rsp */
        .call = {0xff, 0x15},                                                /* call *entry(%rip) */
        .raise = {0x48, 0x8d, 0xa4, 0x24, 0x80, 0x00, 0x00, 0x00},           /* lea 128(%rsp),%rsp */
        .entry = fast_in_tracee(rex_stub_counter), .caller = caller};
    put_distance(s.call + 2, offsetof(struct counter_slot, again), offsetof(struct counter_slot, entry));
    memset(s.again, 0x90, sizeof s.again);
    memcpy(s.again, code, site->size);
    memcpy(s.moved, code + site->size, moved);
    s.moved[moved] = 0xe9;
    put_distance(s.moved + moved + 1, site->slot + offsetof(struct counter_slot, moved) + moved + JUMP, site->at + site->size + moved);
    return s;
}

/* ------------------------------------------------------------------ sites */

static void change(struct task *t, struct counters *c, struct counter *site)
{
    unsigned char code[LONGEST + JUMP] = {0};
    bool is_paced = run_mode->logs && run_mode->is_fast;
    const struct pace *pace = is_paced ? tsc_pace() : NULL;
    if (is_paced && !pace)
        return;                           /* later */
    if (!fast_joins(t)) {
        site->refused = !fast_is_mapped(t);
        return;
    }
    site->refused = true;
    size_t moved = mem_read(t->tid, site->at, code, sizeof code) ? movable(code + site->size, sizeof code - site->size) : 0;
    uint64_t area = moved && site->size + moved >= JUMP && is_of_file(t, site->at) ? area_near(t, c, site->at) : 0;
    if (!area || !(site->slot = place_of_slot(c, site, area)))
        return;
    struct counter_slot slot = slot_of(site, code, moved, tsc_caller_at(t, site->at));
    memcpy(site->there, code, JUMP);
    site->jump[0] = 0xe9;
    put_distance(site->jump + 1, site->at + JUMP, site->slot);
    site->refused = !mem_write(t->tid, site->slot, &slot, sizeof slot)
        || (pace && !mem_write(t->tid, FAST_PACE, pace, sizeof *pace))
        || (t->space->refs > 1 && !sites_halt_others(t))
        || !mem_write(t->tid, site->at, site->jump, JUMP);
    site->slot = site->refused ? 0 : site->slot;
    c->has_sites |= !site->refused;
}

static struct counter *site_at(struct counters *c, uint64_t at)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->item[i].at == at)
            return &c->item[i];
    return NULL;
}

static struct counter *site_with_slot(const struct task *t, uint64_t at)
{
    struct counters *c = t->space->counters;
    for (size_t i = 0; c && i < c->count; i++)
        if (c->item[i].slot && at - c->item[i].slot < sizeof(struct counter_slot))
            return &c->item[i];
    return NULL;
}

uint64_t counter_caller(const struct task *t, uint64_t at)
{
    struct counter_slot slot;
    const struct counter *site = site_with_slot(t, at);
    return site && mem_read(t->tid, site->slot, &slot, sizeof slot) ? slot.caller : 0;
}

static bool is_changed(struct task *t, const struct counter *site)
{
    unsigned char now[JUMP];
    return site->slot && mem_read(t->tid, site->at, now, sizeof now) && !memcmp(now, site->jump, sizeof now);
}

void counter_restore(struct task *t, uint64_t at, unsigned char *code, size_t n)
{
    struct counters *c = t->space->counters;
    for (size_t i = 0; c && i < c->count; i++) {
        const struct counter *s = &c->item[i];
        if (s->at + JUMP <= at || s->at >= at + n || !is_changed(t, s))
            continue;
        for (uint64_t k = 0; k < JUMP; k++)
            if (s->at + k - at < n)
                code[s->at + k - at] = s->there[k];
    }
}

void counter_met(struct task *t, uint64_t at, size_t size)
{
    struct counters *c = t->space->counters;
    if (site_with_slot(t, at)) {
        fast_joins(t);
        return;
    }
    if (!c)
        c = t->space->counters = zalloc(sizeof *c);
    struct counter *site = site_at(c, at);
    if (!site && c->count == MOST)
        return;
    if (!site)
        site = &c->item[c->count++];
    if (site->at != at || site->slot || site->size != size)              /* another library lies there now */
        *site = (struct counter){.at = at, .size = (uint8_t)size};
    if (!site->refused && ++site->faults % OFTEN == 0)
        change(t, c, site);
}

bool counter_lands(struct task *t)
{
    struct counters *c = t->space->counters;
    struct user_regs_struct r = regs_get(t);
    for (size_t i = 0; c && i < c->count; i++) {
        const struct counter *site = &c->item[i];
        uint64_t into = r.rip - site->at;
        if (!site->slot || (into && into != site->size) || !is_changed(t, site))
            continue;
        if (into) {                       /* else it faulted as the site was not changed yet, and jumps now */
            r.rip = site->slot + offsetof(struct counter_slot, moved);
            regs_set(t, &r);
        }
        return true;
    }
    return false;
}

const struct observer counter_observer = {.space_copied = counter_copy};

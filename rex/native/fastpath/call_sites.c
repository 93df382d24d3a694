/* Call sites: where the C library's hot calls are, and what they become.
 *
 * Processes of one program have the same sites, at the same addresses: what one has shown by its stops the next ones are
 * given at once, if the same bytes are there.
 *
 * What a site jumps to must be near: libraries reach the area in fastpath/area.h, a program's own code, as of one that is linked
 * statically, an area below it.  The first trampoline's place has the address of the stub's entry. */
#include "base/base.h"
#include "fastpath/area.h"
#include "fastpath/fastpath.h"
#include "fastpath/internal.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>

enum { MOVE_SIZE = 5, WIDE_SIZE = 7, ZERO_SIZE = 2, SYSCALL_SIZE = 2, READ_CAVE = 13, SITE_BYTES = 32, MOST_KNOWN = 32 };

extern const unsigned char rex_stub_entry[];

/* A site: after its syscall instruction; what is there from one byte before the longest move on. */
struct site { uint64_t back; unsigned char there[SITE_BYTES]; enum site_kind { SITE_NONE, SITE_MOVE, SITE_WIDE, SITE_READ } kind; };
struct sites { size_t count; struct site site[MOST_KNOWN]; };

static const unsigned char syscall_instruction[] = {0x0f, 0x05};
static const unsigned char zero_eax[] = {0x31, 0xc0};
static const unsigned char number_of_read[] = {0xb8, REX_NR_read, 0, 0, 0};                    /* mov $0,%eax */
static const unsigned char to_rax[] = {0x48, 0xc7, 0xc0};                                      /* mov $nr,%rax: Go's */
static const unsigned char sixth_of_call[] = {0x4c, 0x8b, 0x4c, 0x24, 0x08};                   /* mov 8(%rsp),%r9 */

static void put_jump(unsigned char *code, uint64_t from, uint64_t to)
{
    int32_t distance = (int32_t)(to - (from + MOVE_SIZE));
    memcpy(code + 1, &distance, sizeof distance);
}

/* Moves what the jump has taken the place of, keeps clear of the red zone, calls the entry, whose address lies `entry` bytes
 * before it, and goes on after the syscall instruction. */
static void build_trampoline(unsigned char *code, uint64_t at, int32_t entry, const unsigned char *move, uint64_t back)
{
    enum { LOWER = 5, CALL = 10, RAISE = 16, JUMP = 24 };
    static const unsigned char call[] = {0xff, 0x15};                                      /* call *entry(%rip) */
    static const unsigned char lower[] = {0x48, 0x8d, 0x64, 0x24, 0x80};                   /* lea -128(%rsp),%rsp */
    static const unsigned char raise[] = {0x48, 0x8d, 0xa4, 0x24, 0x80, 0x00, 0x00, 0x00}; /* lea 128(%rsp),%rsp */
    memcpy(code, move, MOVE_SIZE);
    memcpy(code + LOWER, lower, sizeof lower);
    memcpy(code + CALL, call, sizeof call);
    entry = -entry - RAISE;
    memcpy(code + CALL + sizeof call, &entry, sizeof entry);
    memcpy(code + RAISE, raise, sizeof raise);
    code[JUMP] = 0xe9;
    put_jump(code + JUMP, at + JUMP, back);
}

/* mov $nr,%eax (not %r8d, which has one byte more); syscall.  Or, in open, mov $AT_FDCWD,%edi, which could be
 * the end of an instruction that has such a displacement: after its opcode.  Or what syscall() does last. */
static bool is_move(const unsigned char *move, const struct user_regs_struct *r)
{
    enum { TO_EAX = 0xb8, TO_EDI = 0xbf };
    static const unsigned char with_displacement[] = {0x0f, 0x63, 0x83, 0x88, 0x89, 0x8a, 0x8b, 0x8d, 0xc6, 0xc7};
    uint32_t moved;
    memcpy(&moved, move + 1, sizeof moved);
    if ((move[-1] & 0xf0) == 0x40)
        return false;
    return !memcmp(move, sixth_of_call, MOVE_SIZE) || (move[0] == TO_EAX && moved == (uint32_t)r->orig_rax)
        || (move[0] == TO_EDI && moved == (uint32_t)AT_FDCWD && r->rdi == moved
            && !memchr(with_displacement, move[-1], sizeof with_displacement));
}

static bool is_wide_move(const unsigned char *move, const struct user_regs_struct *r)
{
    uint32_t moved;
    memcpy(&moved, move + sizeof to_rax, sizeof moved);
    return !memcmp(move, to_rax, sizeof to_rax) && moved == (uint32_t)r->orig_rax;
}

/* xor %eax,%eax; syscall; cmp $-4096,%rax; ja; ret; padding: two bytes for a short jump, and room for a
 * long one behind the ret, where nothing goes. */
static bool is_read_site(const unsigned char *code)
{
    static const unsigned char start[] = {0x31, 0xc0, 0x0f, 0x05, 0x48, 0x3d, 0x00, 0xf0, 0xff, 0xff, 0x77};
    static const unsigned char padding[] = {0x66, 0x2e, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00};
    return !memcmp(code, start, sizeof start) && code[sizeof start + 1] == 0xc3
        && !memcmp(code + READ_CAVE, padding, sizeof padding);
}

static enum site_kind kind_of(const unsigned char *there, const struct user_regs_struct *r)
{
    const unsigned char *call = there + 1 + WIDE_SIZE;
    if (memcmp(call, syscall_instruction, SYSCALL_SIZE))
        return SITE_NONE;
    if (!r->orig_rax && is_read_site(call - ZERO_SIZE))
        return SITE_READ;
    return is_wide_move(call - WIDE_SIZE, r) ? SITE_WIDE : is_move(call - MOVE_SIZE, r) ? SITE_MOVE : SITE_NONE;
}

/* Tasks that share its memory and run, if any, are stopped meanwhile: bytes are not changed under a
 * processor that may be fetching them.  Their stops are reported, and handled, later. */
bool sites_halt_others(struct task *t)
{
    for (struct task *other = tasks; other; other = other->next)
        if (other->alive && other != t && other->space == t->space && task_state(other) == 'R' && !task_halt(other))
            return false;
    return true;
}

static uint64_t start_of(uint64_t back)
{
    return back - SYSCALL_SIZE - WIDE_SIZE - 1;
}

static uint64_t read_of(const struct site *s)
{
    return s->back - SYSCALL_SIZE - ZERO_SIZE;
}

/* Where the jump of five bytes goes; of a longer move two are left, to which nothing leads. */
static uint64_t jump_of(const struct site *s)
{
    return s->kind == SITE_READ ? read_of(s) + READ_CAVE : s->back - SYSCALL_SIZE - (s->kind == SITE_WIDE ? WIDE_SIZE : MOVE_SIZE);
}

/* What it takes the place of, in as many bytes. */
static void move_of(const struct site *s, unsigned char *move)
{
    if (s->kind == SITE_READ)
        memcpy(move, number_of_read, MOVE_SIZE);
    else
        memcpy(move, s->there + 1 + WIDE_SIZE - MOVE_SIZE, MOVE_SIZE);
    if (s->kind == SITE_WIDE)
        move[0] = number_of_read[0];
}

/* ------------------------------------------------------------------ areas */

/* Below programs that lie at a fixed place (lld puts them at 2 MiB), and below others: no mapping comes there by itself. */
static const uint64_t areas[SITE_AREAS] = {FAST_SITES, 0x1f0000, 0x555552000000};

/* The one within reach, SITE_AREAS without. */
static int area_near(uint64_t at)
{
    int i = 0;
    while (i < SITE_AREAS && (at > areas[i] ? at - areas[i] : areas[i] - at) > (uint64_t)INT32_MAX - SITE_COUNT * SITE_SIZE)
        i++;
    return i;
}

static void area_made(struct task *t, int64_t result)
{
    int i = area_near(t->regs.rip);
    struct site_area *a = &fast_site_areas(t)[i];
    uint64_t entry = fast_in_tracee(rex_stub_entry);
    if (a->used)                          /* another thread has made it */
        return;
    a->used = (uint64_t)result == areas[i] && mem_write(t->tid, areas[i], &entry, sizeof entry);
    a->refused = !a->used;
}

bool sites_area(struct task *t)
{
    int i = area_near(t->regs.rip);
    struct site_area *a = i < SITE_AREAS ? &fast_site_areas(t)[i] : NULL;
    if (!a || a->refused)
        return false;
    const uint64_t args[6] = {areas[i], SITE_COUNT * SITE_SIZE, PROT_READ | PROT_EXEC,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, (uint64_t)-1, 0};
    if (!a->used && areas[i] == FAST_SITES)
        area_made(t, FAST_SITES);
    else if (!a->used && !(a->refused = !own_memory_add(t, SITE_COUNT * SITE_SIZE)))
        insert_call(t, REX_NR_mmap, args, area_made);
    return a->used;
}

/* Sites become jumps, by one write of what these lead to, and one or two of each. */
static bool put_sites(struct task *t, const struct site *const *sites, size_t n, int area)
{
    static unsigned char code[MOST_KNOWN][SITE_SIZE];
    static const unsigned char hop[] = {0xeb, READ_CAVE - ZERO_SIZE};
    struct site_area *a = &fast_site_areas(t)[area];
    uint64_t at = areas[area] + (uint64_t)a->used * SITE_SIZE;
    memset(code, 0, sizeof code);
    for (size_t i = 0; i < n; i++) {
        unsigned char move[MOVE_SIZE];
        move_of(sites[i], move);
        build_trampoline(code[i], at + i * SITE_SIZE, (int32_t)((a->used + i) * SITE_SIZE), move, sites[i]->back);
    }
    int fd = a->used + n <= SITE_COUNT && mem_write(t->tid, at, code, n * SITE_SIZE) ? mem_open(t->tid, O_RDWR) : -1;
    bool good = fd >= 0;
    for (size_t i = 0; good && i < n; i++) {
        unsigned char jump[MOVE_SIZE] = {0xe9};
        uint64_t from = jump_of(sites[i]);
        put_jump(jump, from, at + i * SITE_SIZE);
        good = pwrite(fd, jump, sizeof jump, (off_t)from) == sizeof jump
            && (sites[i]->kind != SITE_READ || pwrite(fd, hop, sizeof hop, (off_t)read_of(sites[i])) == sizeof hop);
        a->used += good;
    }
    if (fd >= 0)
        close(fd);
    return good;
}

/* What a trampoline's site was: from the move that it begins with, and the address that the site jumps from. */
static void restore(int fd, uint64_t at, const unsigned char *code)
{
    enum { JUMP = 24 };
    unsigned char there[WIDE_SIZE + SYSCALL_SIZE], wide[MOVE_SIZE];
    int32_t distance;
    memcpy(&distance, code + JUMP + 1, sizeof distance);
    uint64_t back = at + JUMP + MOVE_SIZE + (uint64_t)(int64_t)distance;
    if (pread(fd, there, sizeof there, (off_t)(back - sizeof there)) != sizeof there)
        return;
    memcpy(wide, to_rax, sizeof to_rax);
    memcpy(wide + sizeof to_rax, code + 1, sizeof wide - sizeof to_rax);
    bool is_move = there[WIDE_SIZE - MOVE_SIZE] == 0xe9, is_wide = !is_move && there[0] == 0xe9, is_read = there[WIDE_SIZE - ZERO_SIZE] == 0xeb;
    if (is_move)
        pwrite(fd, code, MOVE_SIZE, (off_t)(back - SYSCALL_SIZE - MOVE_SIZE));
    else if (is_wide)
        pwrite(fd, wide, sizeof wide, (off_t)(back - SYSCALL_SIZE - WIDE_SIZE));
    else if (is_read)
        pwrite(fd, zero_eax, sizeof zero_eax, (off_t)(back - SYSCALL_SIZE - ZERO_SIZE));
}

void sites_restore(struct task *t)
{
    static unsigned char code[SITE_COUNT][SITE_SIZE];
    int fd = mem_open(t->tid, O_RDWR);
    for (int i = 0; i < SITE_AREAS; i++) {
        struct site_area *a = &fast_site_areas(t)[i];
        if (a->used && mem_read(t->tid, areas[i], code, a->used * SITE_SIZE))
            for (unsigned n = 1; n < a->used; n++)
                restore(fd, areas[i] + n * SITE_SIZE, code[n]);
        a->refused = true;
    }
    if (fd >= 0)
        close(fd);
}

bool sites_lie_in(struct task *t, uint64_t from, uint64_t to)
{
    for (int i = 0; i < SITE_AREAS; i++)
        if (fast_site_areas(t)[i].used && from < areas[i] + SITE_COUNT * SITE_SIZE && areas[i] < to)
            return true;
    return false;
}

/* ------------------------------------------------------------------ of the program */

/* At an exec. */
void sites_executed(struct task *t)
{
    static struct table programs;
    char name[40];
    struct stat st;
    snprintf(name, sizeof name, "/proc/%d/exe", t->tid);
    if (stat(name, &st))
        return;
    struct sites **at = (struct sites **)table_at_file(&programs, st.st_dev, st.st_ino);
    if (!*at)
        *at = zalloc(sizeof **at);
    t->space->sites = *at;
}

bool sites_are_known(const struct task *t)
{
    return t->space->sites && t->space->sites->count;
}

/* Above all others lies the loader, whose come first: what it loads is not there yet. */
static void note(struct sites *known, const struct site *s)
{
    size_t i = known->count++;
    for (; i && known->site[i - 1].back < s->back; i--)
        known->site[i] = known->site[i - 1];
    known->site[i] = *s;
}

/* Those of one area that were not given yet. */
static void patch_known(struct task *t, int area)
{
    const struct sites *known = t->space->sites;
    struct site_area *a = &fast_site_areas(t)[area];
    static unsigned char there[MOST_KNOWN][SITE_BYTES];
    struct iovec here = {there, sizeof there}, from[MOST_KNOWN];
    const struct site *near[MOST_KNOWN], *same[MOST_KNOWN];
    size_t count = 0, n = 0;
    if (!known || a->given == known->count || t->space->refs > 1)
        return;
    for (size_t i = 0; i < known->count; i++)
        if (area_near(known->site[i].back) == area) {
            from[count] = (struct iovec){(void *)start_of(known->site[i].back), SITE_BYTES};
            near[count++] = &known->site[i];
        }
    a->given = known->count;
    ssize_t got = process_vm_readv(t->tid, &here, 1, from, count, 0);
    for (ssize_t i = 0; i < got / SITE_BYTES; i++)
        if (!memcmp(there[i], near[i]->there, SITE_BYTES))
            same[n++] = near[i];
    if (n)
        put_sites(t, same, n, area);
}

/* ------------------------------------------------------------------ where it stops */

void sites_patch(struct task *t)
{
    enum { SELDOM = 16 };            /* with others about */
    struct site s = {.back = t->regs.rip};
    struct sites *known = t->space->sites;
    int area = area_near(s.back);
    patch_known(t, area);
    bool is_shared = t->space->refs > 1;
    if ((is_shared && t->space->queries % SELDOM) || !mem_read(t->tid, start_of(s.back), s.there, sizeof s.there))
        return;
    s.kind = kind_of(s.there, &t->regs);
    if (s.kind == SITE_NONE || (is_shared && !sites_halt_others(t)))
        return;
    if (put_sites(t, &(const struct site *){&s}, 1, area) && known && known->count < MOST_KNOWN)
        note(known, &s);
}

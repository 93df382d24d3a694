/* Call sites: where the C library's hot calls are, and what they become.
 *
 * Processes of one program have the same sites, at the same addresses: what one has shown by its stops the next ones are
 * given at once, if the same bytes are there. */
#include "engine.h"
#include "fast.h"

#include <fcntl.h>
#include <sys/uio.h>

enum { MOVE_SIZE = 5, ZERO_SIZE = 2, SYSCALL_SIZE = 2, READ_CAVE = 13, SITE_BYTES = 32, MOST_KNOWN = 32 };

extern const unsigned char rex_stub_entry[];

/* A site: after its syscall instruction; what is there from one byte before the move on; whether it is that of read(). */
struct site { uint64_t back; unsigned char there[SITE_BYTES]; bool reads; };
struct sites { size_t count; struct site site[MOST_KNOWN]; };

static const unsigned char syscall_instruction[] = {0x0f, 0x05};
static const unsigned char number_of_read[] = {0xb8, REX_NR_read, 0, 0, 0};                    /* mov $0,%eax */
static const unsigned char sixth_of_call[] = {0x4c, 0x8b, 0x4c, 0x24, 0x08};                   /* mov 8(%rsp),%r9 */

static void put_jump(unsigned char *code, uint64_t from, uint64_t to)
{
    int32_t distance = (int32_t)(to - (from + MOVE_SIZE));
    memcpy(code + 1, &distance, sizeof distance);
}

/* Moves what the jump has taken the place of, keeps clear of the red zone, calls the entry, and goes on
 * after the syscall instruction. */
static void build_trampoline(unsigned char *code, uint64_t at, const unsigned char *move, uint64_t back)
{
    enum { LOWER = 5, CALL = 10, RAISE = 15, JUMP = 23 };
    static const unsigned char lower[] = {0x48, 0x8d, 0x64, 0x24, 0x80};                   /* lea -128(%rsp),%rsp */
    static const unsigned char raise[] = {0x48, 0x8d, 0xa4, 0x24, 0x80, 0x00, 0x00, 0x00}; /* lea 128(%rsp),%rsp */
    memcpy(code, move, MOVE_SIZE);
    memcpy(code + LOWER, lower, sizeof lower);
    code[CALL] = 0xe8;
    put_jump(code + CALL, at + CALL, fast_in_tracee(rex_stub_entry));
    memcpy(code + RAISE, raise, sizeof raise);
    code[JUMP] = 0xe9;
    put_jump(code + JUMP, at + JUMP, back);
}

/* mov $nr,%eax (not %r8d, which has one byte more); syscall.  Or, in open, mov $AT_FDCWD,%edi, which could be
 * the end of an instruction that has such a displacement: after its opcode.  Or what syscall() does last. */
static bool is_move_site(const unsigned char *code, const struct user_regs_struct *r)
{
    enum { TO_EAX = 0xb8, TO_EDI = 0xbf };
    static const unsigned char with_displacement[] = {0x0f, 0x63, 0x83, 0x88, 0x89, 0x8a, 0x8b, 0x8d, 0xc6, 0xc7};
    uint32_t moved;
    memcpy(&moved, code + 2, sizeof moved);
    if ((code[0] & 0xf0) == 0x40 || memcmp(code + 1 + MOVE_SIZE, syscall_instruction, SYSCALL_SIZE))
        return false;
    return !memcmp(code + 1, sixth_of_call, MOVE_SIZE) || (code[1] == TO_EAX && moved == (uint32_t)r->orig_rax)
        || (code[1] == TO_EDI && moved == (uint32_t)AT_FDCWD && r->rdi == moved
            && !memchr(with_displacement, code[0], sizeof with_displacement));
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

/* Those that share its memory and run, if any, are stopped for a moment: bytes are not changed under a
 * processor that may be fetching them.  Their stops are reported, and seen to, later. */
bool sites_halt_others(struct task *t)
{
    for (struct task *other = tasks; other; other = other->next)
        if (other->alive && other != t && other->space == t->space && task_state(other) == 'R' && !task_halt(other))
            return false;
    return true;
}

static uint64_t start_of(uint64_t back)
{
    return back - SYSCALL_SIZE - MOVE_SIZE - 1;
}

static uint64_t read_of(const struct site *s)
{
    return s->back - SYSCALL_SIZE - ZERO_SIZE;
}

/* Sites become jumps, by one write of what these lead to, and one or two of each. */
static bool put_sites(struct task *t, const struct site *const *sites, size_t n, unsigned *count)
{
    static unsigned char code[MOST_KNOWN][SITE_SIZE];
    static const unsigned char hop[] = {0xeb, READ_CAVE - ZERO_SIZE};
    uint64_t at = FAST_SITES + (uint64_t)*count * SITE_SIZE;
    memset(code, 0, sizeof code);
    for (size_t i = 0; i < n; i++)
        build_trampoline(code[i], at + i * SITE_SIZE, sites[i]->reads ? number_of_read : sites[i]->there + 1, sites[i]->back);
    int fd = *count + n <= SITE_COUNT && mem_write(t->tid, at, code, n * SITE_SIZE) ? mem_open(t->tid, O_RDWR) : -1;
    bool good = fd >= 0;
    for (size_t i = 0; good && i < n; i++) {
        unsigned char jump[MOVE_SIZE] = {0xe9};
        uint64_t from = sites[i]->reads ? read_of(sites[i]) + READ_CAVE : start_of(sites[i]->back) + 1;
        put_jump(jump, from, at + i * SITE_SIZE);
        good = pwrite(fd, jump, sizeof jump, (off_t)from) == sizeof jump
            && (!sites[i]->reads || pwrite(fd, hop, sizeof hop, (off_t)read_of(sites[i])) == sizeof hop);
        *count += good;
    }
    if (fd >= 0)
        close(fd);
    return good;
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

static void patch_known(struct task *t, unsigned *count)
{
    const struct sites *known = t->space->sites;
    static unsigned char there[MOST_KNOWN][SITE_BYTES];
    struct iovec here = {there, sizeof there}, from[MOST_KNOWN];
    const struct site *same[MOST_KNOWN];
    size_t n = 0;
    if (!known || *count >= known->count || t->space->refs > 1)
        return;
    for (size_t i = 0; i < known->count; i++)
        from[i] = (struct iovec){(void *)start_of(known->site[i].back), SITE_BYTES};
    ssize_t got = process_vm_readv(t->tid, &here, 1, from, known->count, 0);
    for (ssize_t i = 0; i < got / SITE_BYTES; i++)
        if (!memcmp(there[i], known->site[i].there, SITE_BYTES))
            same[n++] = &known->site[i];
    if (n)
        put_sites(t, same, n, count);
}

/* ------------------------------------------------------------------ where it stops */

void sites_patch(struct task *t, unsigned *count)
{
    enum { SELDOM = 16 };            /* with others about */
    struct site s = {.back = t->regs.rip};
    struct sites *known = t->space->sites;
    patch_known(t, count);
    uint64_t start = start_of(s.back);
    bool is_shared = t->space->refs > 1;
    if (*count == SITE_COUNT || (is_shared && t->space->queries % SELDOM) || start + INT32_MAX < FAST_AT || start > FAST_AT
        || !mem_read(t->tid, start, s.there, sizeof s.there))
        return;
    s.reads = !t->nr && is_read_site(s.there + MOVE_SIZE + 1 - ZERO_SIZE);
    if ((!s.reads && !is_move_site(s.there, &t->regs)) || (is_shared && !sites_halt_others(t)))
        return;
    if (put_sites(t, &(const struct site *){&s}, 1, count) && known && known->count < MOST_KNOWN)
        note(known, &s);
}

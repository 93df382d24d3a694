/* The fast path: hot queries of the C library are performed in the tracee, without a stop.
 *
 * Where a query stops often, the move of its number into rax, which comes just before the
 * syscall instruction, becomes a jump to a trampoline of the area in fastpath/area.h.  The
 * instruction itself stays: a thread between the two, or a call that is restarted, goes
 * through the kernel as before.  Each thread has a ring, which it finds by its gs base.
 * A ring is read and filled only while its thread is stopped. */
#include "base/base.h"
#include "fastpath/area.h"
#include "fastpath/fastpath.h"
#include "fastpath/internal.h"
#include "log/log.h"
#include "mode/mode.h"
#include "syscalls/syscalls.h"
#include "tracee/hidden.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <fcntl.h>
#include <linux/ptrace.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum { ENOUGH = 12, HWCAP2_FSGSBASE = 2, LARGEST_STACK = 64 << 20, STEPS = 20000 };

extern const unsigned char __start_rex_stub[], __stop_rex_stub[], rex_stub_allowed[], rex_stub_call[], rex_stub_plain[],
    rex_stub_asked[], rex_stub_counted[], rex_stub_look[], rex_stub_wrote[], rex_stub_kept[];

static bool is_usable;

uint64_t fast_in_tracee(const unsigned char *symbol)
{
    return FAST_AT + (uint64_t)(symbol - __start_rex_stub);
}

uint64_t fast_allowed_ip(bool plain)
{
    return fast_in_tracee(plain ? rex_stub_plain : rex_stub_allowed);
}

/* ------------------------------------------------------------------ life of tasks */

static void fast_copy(struct space *to, const struct space *from)
{
    if (!from->fast)
        return;
    to->fast = zalloc(sizeof *to->fast);
    *to->fast = *from->fast;
    to->fast->rings = 0;
}

static void set_base(struct task *t, uint64_t base)
{
    struct user_regs_struct r = regs_get(t);
    r.gs_base = base;
    regs_set(t, &r);
}

/* In a replay what is not the log's next stops; in a recording see record/output_order.c. */
static uint64_t said_by(const struct files *f)
{
    return run_mode->replays ? files_outputs(f) : 0;
}

/* A ring of its own, empty; without a free one the thread's calls stop. */
static void give_ring(struct task *t)
{
    struct fast *f = t->space->fast;
    struct ring ring = {.end = run_mode->replays ? 0 : sizeof ring.data, .replaying = run_mode->replays,
                        .external = files_external(t->files), .asks = t->leader->threaded, .says = said_by(t->files)};
    names_common(ring.clean);
    for (int i = 0; i < RING_COUNT; i++)
        if (!(f->rings & 1u << i)) {
            t->ring = FAST_RINGS + (uint64_t)i * RING_SIZE;
            t->ring_taken = 0;
            if (!mem_write(t->tid, t->ring, &ring, offsetof(struct ring, data)))
                t->ring = 0;
            else
                f->rings |= 1u << i;
            return;
        }
}

/* At a task's first stop: it has inherited the base of who made it. */
void fast_born(struct task *t)
{
    struct fast *f = t->space->fast;
    if (!f || !f->mapped)
        return;
    uint64_t base = regs_get(t).gs_base;
    if (base - FAST_RINGS < RING_COUNT * RING_SIZE) {
        give_ring(t);
        set_base(t, t->ring);
    }
}

/* Who has a ring stops once more as it is killed, so that what is there is not lost. */
static void fast_drop(struct task *t)
{
    if (t->ring)
        t->space->fast->rings &= ~(1u << (t->ring - FAST_RINGS) / RING_SIZE);
    t->ring = 0;
    if (t->alive)
        task_watch_end(t, END_WITH_RING, false);
}

/* Its ring has been taken. */
void fast_leaves(struct task *t)
{
    if (t->ring)
        set_base(t, t->regs.gs_base = 0);
    fast_drop(t);
}

/* It ends by this call: what its ring has was taken. */
void fast_ends(struct task *t)
{
    if ((t->nr == REX_NR_exit_group || t->nr == REX_NR_exit) && t->state == CALL_ENTERED)
        task_watch_end(t, END_WITH_RING | END_IN_WRITE, false);
}

/* ------------------------------------------------------------------ the area */

/* By REX_FAST=0 all calls stop: for tests, and to find out whose fault it is.  One task at a
 * time needs all stops; the borders of cells order the events of all tasks, which rings do not. */
void fast_start(void)
{
    const char *wish = getenv("REX_FAST");
    is_usable = (!wish || strcmp(wish, "0")) && run_mode->is_fast && !is_serialized() && plan.hidden.count <= MOST_HIDDEN && getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE;
    fast_rules_start();
    if ((size_t)(__stop_rex_stub - __start_rex_stub) > FAST_PACE - FAST_AT)
        die("the code for tracees is too long for its area");
}

_Static_assert(sizeof(struct hidden_all) <= HIDDEN_SIZE, "it fits into the area");

static void area_made(struct task *t, int64_t result)
{
    struct fast *f = t->space->fast;
    f->mapped |= (uint64_t)result == FAST_AT          /* another thread may have made it */
        && mem_write(t->tid, FAST_AT, __start_rex_stub, (size_t)(__stop_rex_stub - __start_rex_stub))
        && fast_rules_write(t)
        && (!hidden_all()->count || mem_write(t->tid, FAST_HIDDEN, hidden_all(), sizeof(struct hidden_all)));
    f->refused = !f->mapped;
    f->changes = hidden_all()->changes;
    if (f->mapped)
        TELL_OBSERVERS(area_mapped, t);
}

struct site_area *fast_site_areas(struct task *t)
{
    return t->space->fast->areas;
}

bool fast_is_mapped(const struct task *t)
{
    return t->space->fast && t->space->fast->mapped;
}

/* A larger one would grow into the area; the limit is the process's own, at any time. */
static bool is_stack_small(struct task *t)
{
    struct rlimit stack;
    return !prlimit(t->tid, RLIMIT_STACK, NULL, &stack) && stack.rlim_cur <= LARGEST_STACK;
}

static const uint64_t area_args[6] = {FAST_AT, FAST_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC,
                                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, (uint64_t)-1, 0};

static bool lacks_area(struct task *t)
{
    struct fast *f = t->space->fast ? t->space->fast : (t->space->fast = zalloc(sizeof *f));
    f->refused |= !f->mapped && !is_stack_small(t);
    bool lacks = is_usable && !f->mapped && !f->refused;
    f->refused |= lacks && !own_memory_add(t, FAST_SIZE);
    return lacks && !f->refused;
}

bool fast_area(struct task *t)
{
    if (lacks_area(t))
        insert_call(t, REX_NR_mmap, area_args, area_made);
    return t->space->fast->mapped;
}

static void join(struct task *t, struct user_regs_struct *r)
{
    give_ring(t);
    r->gs_base = t->ring;
    regs_set(t, r);
    task_watch_end(t, END_WITH_RING, true);
}

bool fast_joins(struct task *t)
{
    struct user_regs_struct r = regs_get(t);
    if (t->filter)
        return false;
    if (lacks_area(t))
        area_made(t, call_now(t, REX_NR_mmap, area_args));
    if (t->space->fast->mapped && !t->ring && !r.gs_base)
        join(t, &r);
    return t->ring;
}

uint64_t fast_caller_sp(struct task *t)
{
    enum { BELOW = 128 + 8 };            /* by a trampoline and its call */
    struct user_regs_struct r = regs_get(t);
    return r.rsp + (r.rip >= FAST_AT && r.rip < FAST_RULES ? BELOW : 0);
}

bool fast_has_asked(const struct user_regs_struct *r)
{
    return r->rip == fast_in_tracee(rex_stub_asked);
}

/* The stub has looked whether a descriptor is external before it became so, or was marked as one of a shared file. */
static void look_again(struct user_regs_struct *r, struct task *t)
{
    r->rip = fast_in_tracee(rex_stub_look);
    regs_set(t, r);
}

void fast_look_again(struct task *t)
{
    struct user_regs_struct r = t->ring ? regs_get(t) : (struct user_regs_struct){0};
    if (r.rip > fast_in_tracee(rex_stub_look) && r.rip < fast_allowed_ip(true))
        look_again(&r, t);
}

static bool is_plain_call(struct task *t)
{
    return t->regs.rip == fast_allowed_ip(true) && !wants_all_calls(t);
}

static bool is_plain_no_more(struct task *t)
{
    struct user_regs_struct r = t->regs;
    if (!files_mark(t->files, (int)t->args[0]))
        return false;
    r.orig_rax = (ull)NO_CALL;
    r.rax = (ull)t->nr;
    look_again(&r, t);
    return true;
}

/* All calls stop, and this one need not: the stub makes it. */
bool fast_passes(struct task *t)
{
    return t->by_entry_stop && (t->regs.rip == fast_allowed_ip(false) || is_plain_call(t));
}

/* Of a call that passes. */
bool fast_is_stale(struct task *t)
{
    return is_plain_call(t) && is_plain_no_more(t);
}

/* True: this stop is not the mode's. */
bool fast_entry(struct task *t)
{
    const struct rex_call *c = call_of(t->nr);
    int kind = c && t->nr < RULE_COUNT ? fast_rules[t->nr].kind : RULE_NONE;
    uint32_t stream = kind == RULE_PLAIN || kind == RULE_SAY ? stream_of(t->files, c, t->args) : 0;
    if (!is_usable || t->filter || kind == RULE_NONE || (stream && !(kind == RULE_SAY && is_output(stream))))
        return false;
    if (++t->space->queries < ENOUGH && !sites_are_known(t))
        return false;
    if (!fast_area(t))
        return t->then != NULL;
    if (!t->ring && !t->regs.gs_base)
        join(t, &t->regs);
    if (!sites_area(t))
        return t->then != NULL;
    sites_patch(t);
    return false;
}

/* ------------------------------------------------------------------ rings */

static bool is_fault(const siginfo_t *info)
{
    return info->si_code > 0 && (info->si_signo == SIGSEGV || info->si_signo == SIGBUS);
}

/* A signal is let in only where the stub holds nothing half done. */
bool fast_leave_stub(struct task *t)
{
    uint64_t from = fast_in_tracee(rex_stub_call), to = fast_in_tracee(__stop_rex_stub), all = ALL_BUT_TRAPS, mask;
    struct user_regs_struct r = regs_get(t);
    siginfo_t info;
    if (r.rip < from || r.rip >= to || ptrace(PTRACE_GETSIGINFO, t->tid, 0, &info)
        || ptrace(PTRACE_GETSIGMASK, t->tid, sizeof mask, &mask) || is_fault(&info))
        return false;
    ptrace(PTRACE_SETSIGMASK, t->tid, sizeof all, &all);
    if (run_to_either(t, fast_in_tracee(rex_stub_asked), fast_in_tracee(rex_stub_counted)))
        r = regs_get(t);
    for (int i = 0; i < STEPS && r.rip >= from && r.rip < to; i++) {
        if (!single_step(t))
            return false;
        r = regs_get(t);
    }
    ptrace(PTRACE_SETSIGMASK, t->tid, sizeof mask, &mask);
    ptrace(PTRACE_SETSIGINFO, t->tid, 0, &info);
    return true;
}

/* Killed as it wrote to the standard output: what went out is to be in the log.  What it wrote and how much lies after the last
 * record; the result may only be in its register yet. */
static void finish_speech(struct task *t, const struct ring *ring)
{
    static struct { struct record head; struct field field; unsigned char data[LONGEST_SAID]; } last;
    struct user_regs_struct regs = regs_get(t);
    bool returned = regs.rip == fast_allowed_ip(false) || (regs.rip >= fast_in_tracee(rex_stub_wrote) && regs.rip < fast_in_tracee(rex_stub_kept));
    if (ring->busy != RING_SAYS(ring->at) || !mem_read(t->tid, t->ring + offsetof(struct ring, data) + ring->at, &last.head, sizeof last.head))
        return;
    int64_t n = last.head.result = returned ? (int64_t)regs.rax : last.head.result;
    if (n <= 0 || n > LONGEST_SAID || !mem_read(t->tid, last.head.args[1], last.data, (size_t)n))
        return;
    last.head.call = REX_NR_write;
    last.head.flags = 0;
    last.head.size = (uint32_t)(sizeof last.head + sizeof last.field + (size_t)(n + 7) / 8 * 8);
    last.field = (struct field){.arg = 1, .type = FIELD_IN, .length = (uint32_t)n};
    memset(last.data + n, 0, (size_t)-n % 8);
    run_mode->taken(t, (const unsigned char *)&last, last.head.size);
}

/* At each stop of a thread with a ring: what it did since the last one. */
void fast_sync(struct task *t, bool ends)
{
    static struct ring ring;
    enum { HEAD = offsetof(struct ring, data), FEW = 512 };      /* bytes: mostly all that there is */
    t->ring_busy = !mem_read(t->tid, t->ring, &ring, HEAD + FEW) || (ring.busy && !ends);
    if (t->ring_busy || ring.at > sizeof ring.data || ring.end > sizeof ring.data)
        return;
    if (run_mode->replays) {
        run_mode->taken(t, NULL, ring.at);
        return;
    }
    if (ring.at > t->ring_taken && (ring.at <= FEW || mem_read(t->tid, t->ring + HEAD + FEW, ring.data + FEW, ring.at - FEW)))
        run_mode->taken(t, ring.data + t->ring_taken, ring.at - t->ring_taken);
    if (ends)
        finish_speech(t, &ring);
    if (!ring.at)
        return;
    uint32_t none = t->ring_taken = 0;
    mem_write(t->tid, t->ring, &none, sizeof none);
}

/* What it has done up to now, though it may be running.  An event in a ring is whole before it counts. */
void fast_sync_running(struct task *t)
{
    static unsigned char data[RING_SIZE];
    uint32_t at = 0;
    if (!mem_read(t->tid, t->ring, &at, sizeof at) || at > sizeof data || at <= t->ring_taken
        || !mem_read(t->tid, t->ring + offsetof(struct ring, data) + t->ring_taken, data, at - t->ring_taken))
        return;
    run_mode->taken(t, data, at - t->ring_taken);
    t->ring_taken = at;
}

static bool is_busy(const struct task *t)
{
    uint32_t busy = 1;
    return mem_read(t->tid, t->ring + offsetof(struct ring, busy), &busy, sizeof busy) && busy;
}

/* The same, with the event that its stub has begun.  A thread that is stopped there does not come to its end. */
void fast_settle(struct task *t)
{
    enum { PAUSE_NS = 20000, PAUSES = 5000 };
    const struct timespec pause = {0, PAUSE_NS};
    for (int i = 0; i < PAUSES && is_busy(t) && task_state(t) != 't'; i++)
        nanosleep(&pause, NULL);
    fast_sync_running(t);
}

/* Before an event whose place among those of other processes counts. */
void fast_sync_others(const struct task *t)
{
    for (struct task *other = tasks; other; other = other->next)
        if (other->alive && other->ring && other->space != t->space)
            fast_sync_running(other);
}

/* At a change of what descriptors are external. */
static void fast_files(const struct files *f)
{
    uint64_t external = files_external(f), says = said_by(f);
    for (struct task *t = tasks; t; t = t->next)
        if (t->alive && t->ring && t->files == f) {
            mem_write(t->tid, t->ring + offsetof(struct ring, external), &external, sizeof external);
            mem_write(t->tid, t->ring + offsetof(struct ring, says), &says, sizeof says);
        }
}

static void fast_asks(const struct task *leader)
{
    uint64_t asks = leader->threaded;
    for (struct task *t = tasks; t; t = t->next)
        if (t->alive && t->ring && t->leader == leader)
            mem_write(t->tid, t->ring + offsetof(struct ring, asks), &asks, sizeof asks);
}

/* Recording: without room each query stops. */
void fast_ring_limit(struct task *t, bool any)
{
    uint32_t end = any ? sizeof ((struct ring *)0)->data : 0;
    if (t->ring)
        mem_write(t->tid, t->ring + offsetof(struct ring, end), &end, sizeof end);
}

/* A replay's next answers; how: in order or in any order. */
void fast_fill(struct task *t, const void *records, uint32_t n, int how)
{
    struct { uint32_t at, end, replaying; } head = {0, n, (uint32_t)how};
    if ((!n || mem_write(t->tid, t->ring + offsetof(struct ring, data), records, n)))
        mem_write(t->tid, t->ring, &head, sizeof head);
}

const struct observer fastpath_observer = {
    .space_copied = fast_copy, .threads_began = fast_asks, .files_changed = fast_files, .program_gone = fast_drop,
};

/* If the program maps over the engine's memory, or unmaps it, the engine gives that memory up: patched call sites get their
 * original code back, all calls stop, and scratch memory is made at another address. */
#include "base/base.h"
#include "fastpath/area.h"
#include "fastpath/fastpath.h"
#include "fastpath/internal.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

extern const unsigned char rex_stub_stops[], rex_stub_look[];

struct range { uint64_t from, to; };

static bool overlap(struct range one, struct range other)
{
    return one.from < other.to && other.from < one.to;
}

static bool is_in_area(struct task *t, uint64_t at)
{
    return (at >= FAST_AT && at < FAST_AT + FAST_SIZE) || sites_lie_in(t, at, at + 1);
}

/* What a plain call does in the stub the site's own instruction does: it may wait for long. */
static void leave_plain_call(struct task *t, struct user_regs_struct *r)
{
    bool waited = r->rip == fast_allowed_ip(true) && is_interrupted((int64_t)r->rax);
    if (!waited && (r->rip < fast_in_tracee(rex_stub_look) || r->rip >= fast_allowed_ip(true)))
        return;
    if (waited) {
        r->rax = r->orig_rax;
        r->orig_rax = (ull)NO_CALL;
    }
    r->rip = fast_in_tracee(rex_stub_stops);
    regs_set(t, r);
}

static void step_out(struct task *t)
{
    enum { STEPS = 20000 };
    uint64_t all = ALL_BUT_TRAPS, mask;
    struct user_regs_struct r = regs_get(t);
    if (!is_in_area(t, r.rip) || ptrace(PTRACE_GETSIGMASK, t->tid, sizeof mask, &mask))
        return;
    ptrace(PTRACE_SETSIGMASK, t->tid, sizeof all, &all);
    for (int i = 0; i < STEPS && is_in_area(t, r.rip); i++) {
        leave_plain_call(t, &r);
        if (!single_step(t))
            return;
        r = regs_get(t);
    }
    ptrace(PTRACE_SETSIGMASK, t->tid, sizeof mask, &mask);
    ptrace(PTRACE_INTERRUPT, t->tid, 0, 0);       /* its stop is reported once more */
    ptrace(PTRACE_CONT, t->tid, 0, 0);
}

/* Blocked in a call that the stub made. */
static bool waits_in_area(struct task *t)
{
    ull at = 0;
    proc_value(t->tid, "syscall", "%*d %*x %*x %*x %*x %*x %*x %*x %llx", &at);
    return is_in_area(t, at);
}

void fast_evict(struct task *t)
{
    siginfo_t info = {0};
    if (task_state(t) == 'R' || waits_in_area(t))
        task_halt(t);
    if (!waitid(P_PID, (id_t)t->tid, &info, WSTOPPED | WNOWAIT | WNOHANG | __WALL) && info.si_status == (SIGTRAP | PTRACE_EVENT_STOP << 8))
        step_out(t);
    fast_sync(t, false);
    fast_leaves(t);
}

static void give_up(struct task *t)
{
    struct fast *f = t->space->fast;
    for (struct task *other = tasks; other; other = other->next)
        if (other->alive && other != t && other->space == t->space && other->ring)
            fast_evict(other);
    sites_restore(t);
    if (t->ring) {
        t->regs.gs_base = 0;
        fast_leaves(t);
    }
    f->mapped = false;
    f->refused = true;
}

/* What of the engine's memory lies in the range and is given up now; empty: nothing. */
static struct range yield(struct task *t, uint64_t at, uint64_t size)
{
    struct range r = {at, at + size < at ? UINT64_MAX : at + size}, area = {FAST_AT, FAST_AT + FAST_SIZE}, given = {0, 0};
    if (t->space->fast && t->space->fast->mapped && (overlap(r, area) || sites_lie_in(t, r.from, r.to))) {
        give_up(t);
        given = overlap(r, area) ? area : given;
    }
    if (t->space->scratch && overlap(r, (struct range){t->space->scratch, t->space->scratch + SCRATCH_SIZE})) {
        given = given.to ? given : (struct range){t->space->scratch, t->space->scratch + SCRATCH_SIZE};
        t->space->scratch = 0;
    }
    return given;
}

static void nothing_more(struct task *t, int64_t result)
{
    (void)t;
    (void)result;
}

/* The program finds the place empty, as it would be without Rex. */
static bool clear(struct task *t, struct range given)
{
    uint64_t args[6] = {given.from, given.to - given.from};
    if (given.to)
        insert_call(t, SYS_munmap, args, nothing_more);
    return given.to;
}

bool fast_yields(struct task *t)
{
    enum { LARGEST_SEGMENT = 1 << 30 };      /* assumed: only the kernel knows its size */
    const uint64_t *a = t->args;
    if (t->nr == REX_NR_mmap && a[3] & MAP_FIXED)
        yield(t, a[0], a[1]);
    else if (op_of(t->nr) == REX_OP_PAGES || (t->nr == REX_NR_mmap && a[0]))
        return clear(t, yield(t, a[0], a[1]));
    else if (t->nr == REX_NR_shmat && a[1])
        return clear(t, yield(t, a[1], LARGEST_SEGMENT));
    else if (op_of(t->nr) == REX_OP_REMAP) {
        yield(t, a[0], a[1]);
        if (a[3] & MREMAP_FIXED)
            yield(t, a[4], a[2]);
    }
    return false;
}

/* Registers of a stopped tracee, and what it does when it goes on. */
#include "base/base.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <sys/wait.h>

struct user_regs_struct regs_get(struct task *t)
{
    struct user_regs_struct r = {0};
    ptrace(PTRACE_GETREGS, t->tid, 0, &r);
    return r;
}

void regs_set(struct task *t, const struct user_regs_struct *r)
{
    ptrace(PTRACE_SETREGS, t->tid, 0, r);
}

bool is_cut_short(struct task *t)
{
    struct user_regs_struct r = regs_get(t);
    return (long)r.orig_rax != NO_CALL && is_interrupted((int64_t)r.rax);
}

static bool ends_by_any_signal(long nr)
{
    return ipc_operates(nr) || nr == REX_NR_rt_sigtimedwait || (call_of(nr) && call_of(nr)->hook == REX_HOOK_EPOLL_WAIT);
}

/* Some waits are ended by any signal that a tracer sees, and not made again; without one, those that are ignored would not
 * have done so. */
bool is_disturbed(const struct task *t, int64_t result)
{
    ull own = 0, shared = 0, caught = 0, blocked = 0;
    if (result != -EINTR || !ends_by_any_signal(t->nr))
        return false;
    proc_value(t->tid, "status", "SigPnd: %llx", &own);
    proc_value(t->tid, "status", "ShdPnd: %llx", &shared);
    proc_value(t->tid, "status", "SigBlk: %llx", &blocked);
    proc_value(t->tid, "status", "SigCgt: %llx", &caught);
    return !((own | shared) & caught & ~blocked);
}

/* At an entry-stop: number -1 makes the kernel return what is in rax. */
void skip_call(struct task *t, int64_t result)
{
    struct user_regs_struct r = t->regs;
    r.orig_rax = (ull)-1;
    r.rax = (ull)result;
    regs_set(t, &r);
    t->state = CALL_IGNORED;
    t->want_exit = false;
}

/* Back to the syscall instruction, which is two bytes long. */
void rewind_call(struct task *t)
{
    struct user_regs_struct r = t->regs;
    r.orig_rax = (ull)-1;
    r.rax = (ull)t->nr;
    r.rip -= 2;
    regs_set(t, &r);
    t->state = CALL_IGNORED;
    t->want_exit = false;
    t->rewound = true;
}

/* Another call instead of the one that stopped; its further arguments stay. */
void change_call(struct task *t, long nr, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    struct user_regs_struct r = t->regs;
    r.orig_rax = (ull)nr;
    r.rdi = a;
    r.rsi = b;
    r.rdx = c;
    r.r10 = d;
    regs_set(t, &r);
    t->want_exit = true;
}

static void put_arguments(struct user_regs_struct *r, const uint64_t *args)
{
    r->rdi = args[0];
    r->rsi = args[1];
    r->rdx = args[2];
    r->r10 = args[3];
    r->r8 = args[4];
    r->r9 = args[5];
}

/* Another call before the one that stopped, which the tracee enters again after that. */
void insert_call(struct task *t, long nr, const uint64_t *args, void (*then)(struct task *t, int64_t result))
{
    struct user_regs_struct r = t->regs;
    r.orig_rax = (ull)nr;
    put_arguments(&r, args);
    regs_set(t, &r);
    t->want_exit = true;
    t->then = then;
}

/* Goes on by a step, or until it comes to where its debug registers say. */
static bool comes_to_trap(struct task *t, int request)
{
    siginfo_t info = {0};
    return !ptrace(request, t->tid, 0, 0)
        && !waitid(P_PID, (id_t)t->tid, &info, WEXITED | WSTOPPED | WNOWAIT | __WALL)
        && info.si_code == CLD_TRAPPED && waitpid(t->tid, NULL, __WALL) == t->tid;
}

bool single_step(struct task *t)
{
    return comes_to_trap(t, PTRACE_SINGLESTEP);
}

/* By the processor's breakpoints, which are a task's own. */
bool run_to_either(struct task *t, uint64_t one, uint64_t other)
{
    enum { CONTROL = 7, BOTH = 1 << 0 | 1 << 2 };
    const uint64_t set[] = {one, other, BOTH};
    const int where[] = {0, 1, CONTROL};
    bool good = true;
    for (int i = 0; good && i < 3; i++)
        good = !ptrace(PTRACE_POKEUSER, t->tid, offsetof(struct user, u_debugreg) + (size_t)where[i] * sizeof(long), set[i]);
    good = good && comes_to_trap(t, PTRACE_CONT);
    ptrace(PTRACE_POKEUSER, t->tid, offsetof(struct user, u_debugreg) + CONTROL * sizeof(long), 0);
    return good;
}

/* A call that the filter stops comes to that stop first. */
static bool is_before_call(struct task *t, long nr)
{
    struct user_regs_struct r = regs_get(t);
    return (long)r.orig_rax == nr && (int64_t)r.rax == -ENOSYS;
}

int64_t call_now(struct task *t, long nr, const uint64_t *args)
{
    struct user_regs_struct before = regs_get(t), r = before;
    uint64_t all = ALL_BUT_TRAPS, mask;
    r.rip = t->regs.rip - 2;
    if (!is_syscall_at(t->tid, r.rip) || ptrace(PTRACE_GETSIGMASK, t->tid, sizeof mask, &mask))
        return -ENOSYS;
    r.rax = (ull)nr;
    put_arguments(&r, args);
    ptrace(PTRACE_SETSIGMASK, t->tid, sizeof all, &all);
    regs_set(t, &r);
    if (!single_step(t) || (is_before_call(t, nr) && !single_step(t)))
        return -ESRCH;
    int64_t result = (int64_t)regs_get(t).rax;
    regs_set(t, &before);
    ptrace(PTRACE_SETSIGMASK, t->tid, sizeof mask, &mask);
    return result;
}

/* At an exit-stop: the result, and the arguments as they were.  What a signal cut short the kernel ends, or makes again. */
void give_result(struct task *t, int64_t result)
{
    struct user_regs_struct r = t->regs;
    r.orig_rax = is_interrupted(result) ? r.orig_rax : (ull)-1;   /* no restart of what was put in its place */
    r.rax = (ull)result;
    regs_set(t, &r);
}

long trace_options(void)
{
    return PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACESECCOMP | PTRACE_O_TRACEEXEC | PTRACE_O_TRACEFORK
        | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL;
}

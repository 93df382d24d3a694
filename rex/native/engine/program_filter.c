/* The program's own seccomp filters.  The kernel never sees them: all calls of who has one stop, and the engine runs its filters
 * on the call as the program made it.  So what Rex inserts and answers passes, and what a filter refuses is refused in record and
 * replay alike.  Kills and traps are the kernel's own: the call becomes one of the numbers that Rex's filter answers so. */
#include "base/base.h"
#include "engine/engine.h"
#include "engine/internal.h"
#include "fastpath/fastpath.h"
#include "log/log.h"
#include "mode/mode.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* A filter, and those that were set before it; shared by tasks, and never changed.  No code: strict mode. */
struct program_filter { const struct program_filter *former; unsigned short length; struct sock_filter code[]; };

/* The kernel's judgement of a filter, by a child that sets it: 0 or a negative error. */
static int64_t judged(uint64_t flags, const struct sock_fprog *program)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        int failed = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, program) ? errno : 0;
        _exit(failed);
    }
    if (child < 0 || waitpid(child, &status, __WALL) != child)
        return -ENOMEM;
    return WIFEXITED(status) ? -WEXITSTATUS(status) : 0;      /* a filter that refuses the exit is in force */
}

/* The filter that the program's memory has; NULL: *error says why not. */
static struct program_filter *taken(struct task *t, uint64_t flags, uint64_t at, int64_t *error)
{
    struct { unsigned short length; uint64_t code; } given;
    *error = -EFAULT;
    if (!mem_read(t->tid, at, &given, sizeof given))
        return NULL;
    *error = -EINVAL;
    if (!given.length || given.length > BPF_MAXINSNS)
        return NULL;
    struct program_filter *f = zalloc(sizeof *f + given.length * sizeof *f->code);
    f->former = t->filter;
    f->length = given.length;
    *error = -EFAULT;
    if (mem_read(t->tid, given.code, f->code, f->length * sizeof *f->code)
        && !(*error = judged(flags, &(struct sock_fprog){f->length, f->code})))
        return f;
    free(f);
    return NULL;
}

static void put(struct task *t, const struct program_filter *f)
{
    t->filter = f;
    fast_leaves(t);
}

/* All its threads have the same from now on. */
static void put_to_all(struct task *t, const struct program_filter *f)
{
    for (struct task *other = tasks; other; other = other->next)
        if (other->alive && other->leader == t->leader) {
            if (other != t && other->runs_freely)
                task_halt(other);
            other->runs_freely = false;
            if (other != t && other->ring)
                fast_evict(other);
            put(other, f);
        }
}

static int64_t set_filter(struct task *t, uint64_t flags, uint64_t at)
{
    const uint64_t known = SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_LOG | SECCOMP_FILTER_FLAG_SPEC_ALLOW | SECCOMP_FILTER_FLAG_NEW_LISTENER
        | SECCOMP_FILTER_FLAG_TSYNC_ESRCH | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
    int64_t error;
    if (flags & ~known)
        return -EINVAL;
    if (flags & SECCOMP_FILTER_FLAG_NEW_LISTENER) {
        if (run_mode->logs)
            log_note(t->index, "a seccomp filter whose calls another process decides is not supported and was refused");
        return -EINVAL;
    }
    struct program_filter *f = taken(t, flags, at, &error);
    if (!f)
        return error;
    if (flags & SECCOMP_FILTER_FLAG_TSYNC)
        put_to_all(t, f);
    else
        put(t, f);
    return 0;
}

static int64_t set_strict(struct task *t)
{
    if (t->filter)
        return -EINVAL;
    put(t, zalloc(sizeof *t->filter));
    return 0;
}

static int64_t tell_sizes(struct task *t)
{
    struct seccomp_notif_sizes sizes = {sizeof(struct seccomp_notif), sizeof(struct seccomp_notif_resp), sizeof(struct seccomp_data)};
    return mem_write(t->tid, t->args[2], &sizes, sizeof sizes) ? 0 : -EFAULT;
}

/* What a call that sets or queries filters is answered; false: it is another one. */
static bool answers(struct task *t)
{
    const uint64_t *a = t->args;
    bool by_prctl = op_of(t->nr) == REX_OP_PROCESS_OPTION && (int)a[0] == PR_SET_SECCOMP;
    if (op_of(t->nr) == REX_OP_PROCESS_OPTION && (int)a[0] == PR_GET_SECCOMP)
        skip_call(t, t->filter ? SECCOMP_MODE_FILTER : SECCOMP_MODE_DISABLED);
    else if (by_prctl && a[1] == SECCOMP_MODE_STRICT)
        skip_call(t, set_strict(t));
    else if (by_prctl)
        skip_call(t, a[1] == SECCOMP_MODE_FILTER ? set_filter(t, 0, a[2]) : -EINVAL);
    else if (t->nr == REX_NR_seccomp && (uint32_t)a[0] == SECCOMP_SET_MODE_STRICT)
        skip_call(t, (uint32_t)a[1] || a[2] ? -EINVAL : set_strict(t));
    else if (t->nr == REX_NR_seccomp && (uint32_t)a[0] == SECCOMP_GET_NOTIF_SIZES)
        skip_call(t, (uint32_t)a[1] ? -EINVAL : tell_sizes(t));
    else if (t->nr == REX_NR_seccomp && (uint32_t)a[0] == SECCOMP_SET_MODE_FILTER)
        skip_call(t, set_filter(t, (uint32_t)a[1], a[2]));
    else
        return false;
    return true;
}

static uint32_t reckon(uint16_t code, uint32_t a, uint32_t operand)
{
    switch (BPF_OP(code)) {
    case BPF_ADD: return a + operand;
    case BPF_SUB: return a - operand;
    case BPF_MUL: return a * operand;
    case BPF_DIV: return operand ? a / operand : 0;
    case BPF_MOD: return operand ? a % operand : 0;
    case BPF_OR: return a | operand;
    case BPF_AND: return a & operand;
    case BPF_XOR: return a ^ operand;
    case BPF_LSH: return operand < 32 ? a << operand : 0;
    case BPF_RSH: return operand < 32 ? a >> operand : 0;
    default: return -a;
    }
}

static bool holds(uint16_t code, uint32_t a, uint32_t operand)
{
    switch (BPF_OP(code)) {
    case BPF_JEQ: return a == operand;
    case BPF_JGT: return a > operand;
    case BPF_JGE: return a >= operand;
    default: return a & operand;
    }
}

/* Classic BPF as the kernel runs it; it has judged the code: jumps lead forward, and the last instruction returns. */
static uint32_t run(const struct program_filter *f, const struct seccomp_data *data)
{
    uint32_t a = 0, x = 0, memory[BPF_MEMWORDS] = {0};
    for (const struct sock_filter *i = f->code; i < f->code + f->length; i++) {
        uint32_t operand = BPF_SRC(i->code) == BPF_X ? x : i->k;
        uint32_t loaded = BPF_MODE(i->code) == BPF_IMM ? i->k : BPF_MODE(i->code) == BPF_LEN ? sizeof *data
            : BPF_MODE(i->code) == BPF_MEM ? memory[i->k % BPF_MEMWORDS] : 0;
        switch (BPF_CLASS(i->code)) {
        case BPF_LD:
            a = loaded;
            if (BPF_MODE(i->code) == BPF_ABS)
                memcpy(&a, (const char *)data + i->k, sizeof a);
            break;
        case BPF_LDX: x = loaded; break;
        case BPF_ST: memory[i->k % BPF_MEMWORDS] = a; break;
        case BPF_STX: memory[i->k % BPF_MEMWORDS] = x; break;
        case BPF_ALU:
            if (BPF_SRC(i->code) == BPF_X && !x && (BPF_OP(i->code) == BPF_DIV || BPF_OP(i->code) == BPF_MOD))
                return SECCOMP_RET_KILL_THREAD;       /* as the kernel ends a program that divides by 0 */
            a = reckon(i->code, a, operand);
            break;
        case BPF_JMP: i += BPF_OP(i->code) == BPF_JA ? i->k : holds(i->code, a, operand) ? i->jt : i->jf; break;
        case BPF_RET: return BPF_RVAL(i->code) == BPF_A ? a : i->k;
        case BPF_MISC: if (BPF_MISCOP(i->code) == BPF_TAX) x = a; else a = x; break;
        }
    }
    return SECCOMP_RET_KILL_PROCESS;
}

/* The strictest of what its filters say, of those that say the same kind the latest. */
static uint32_t verdict(const struct task *t)
{
    struct seccomp_data data = {(int)t->nr, AUDIT_ARCH_X86_64, t->regs.rip, {0}};
    uint32_t strictest = SECCOMP_RET_ALLOW;
    for (int i = 0; i < 6; i++)
        data.args[i] = t->args[i];
    for (const struct program_filter *f = t->filter; f; f = f->former) {
        uint32_t said = run(f, &data);
        if ((int32_t)(said & SECCOMP_RET_ACTION_FULL) < (int32_t)(strictest & SECCOMP_RET_ACTION_FULL))
            strictest = said;
    }
    return strictest;
}

/* The kernel is to end the call, by its filter in engine/filter.c. */
static void ends_by(struct task *t, long nr)
{
    struct user_regs_struct r = t->regs;
    r.orig_rax = (ull)nr;
    regs_set(t, &r);
    t->state = CALL_IGNORED;
}

static bool refuse(struct task *t, uint32_t said)
{
    uint32_t data = said & SECCOMP_RET_DATA;
    switch (said & SECCOMP_RET_ACTION_FULL) {
    case SECCOMP_RET_ALLOW: case SECCOMP_RET_LOG:
        return false;
    case SECCOMP_RET_ERRNO:
        skip_call(t, -(int64_t)(data > 4095 ? 4095 : data));
        return true;
    case SECCOMP_RET_TRACE: case SECCOMP_RET_USER_NOTIF:      /* nobody is there to decide */
        skip_call(t, -ENOSYS);
        return true;
    case SECCOMP_RET_TRAP:
        engine_state(t)->trapped = data;
        ends_by(t, CALL_TRAPS);
        return true;
    case SECCOMP_RET_KILL_THREAD:
        ends_by(t, CALL_KILLS_THREAD);
        return true;
    }
    ends_by(t, CALL_KILLS);
    return true;
}

enum { BY_SECCOMP = 1 };     /* si_code of its traps */

bool program_filter_refuses(struct task *t)
{
    static const long allowed[] = {SYS_read, SYS_write, SYS_exit, SYS_rt_sigreturn};
    bool is_strict = t->filter && !t->filter->length, is_allowed = false;
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
        is_allowed |= t->nr == allowed[i];
    if (is_strict && !is_allowed) {
        syscall(SYS_tgkill, t->leader->tid, t->tid, SIGKILL);
        return true;
    }
    return (t->filter && !is_strict && refuse(t, verdict(t))) || answers(t);
}

/* At the signal-stop of a trap: as if the program's own call had been trapped. */
void program_filter_trapped(struct task *t)
{
    siginfo_t info;
    struct user_regs_struct r = regs_get(t);
    if (ptrace(PTRACE_GETSIGINFO, t->tid, 0, &info) || info.si_code != BY_SECCOMP || info.si_syscall != CALL_TRAPS)
        return;
    info.si_syscall = (int)t->nr;
    info.si_errno = (int)engine_state(t)->trapped;
    ptrace(PTRACE_SETSIGINFO, t->tid, 0, &info);
    r.rax = r.orig_rax = (ull)t->nr;
    regs_set(t, &r);
}

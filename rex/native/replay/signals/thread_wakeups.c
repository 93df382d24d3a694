/* Replay: signals by which threads wake their siblings, as often as needed. */
#include "base/base.h"
#include "replay/index/index.h"
#include "replay/signals/internal.h"
#include "replay/signals/signals.h"
#include "replay/tasks/tasks.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

struct task *replay_sibling_named(const struct task *t, uint32_t tid)
{
    struct task *other = task_named(tid);
    other = other ? other : task_of((pid_t)tid);              /* a thread that the log does not have */
    return other && other->leader == t->leader ? other : NULL;
}

bool replay_awaits_wakeup(const struct task *t)
{
    return signal_state(t)->extra_wakeups;
}

/* Whether the call is such a signal, and then runs. */
bool replay_wakes_thread(struct task *t)
{
    int sig = (int)t->args[2];
    if (t->nr != REX_NR_tgkill || !has_shared_work(t) || (int)t->args[0] != (int)t->task_log->tgid || sig <= 0 || sig > 64)
        return false;
    struct task *other = replay_sibling_named(t, (uint32_t)t->args[1]);
    if (!other) {
        skip_call(t, -ESRCH);             /* it has ended by now, or not begun */
        return true;
    }
    signal_state(other)->extra_wakeups |= 1ULL << (sig - 1);
    struct user_regs_struct r = t->regs;
    r.rdi = (ull)t->leader->tid;
    r.rsi = (ull)other->tid;
    regs_set(t, &r);
    t->want_exit = true;
    return true;
}

/* Whether the signal that has come is one of these; who sent it is as the log calls it. */
bool replay_was_woken(struct task *t, int sig)
{
    uint64_t bit = 1ULL << (sig - 1);
    siginfo_t info;
    if (!(signal_state(t)->extra_wakeups & bit) || ptrace(PTRACE_GETSIGINFO, t->tid, 0, &info))
        return false;
    signal_state(t)->extra_wakeups &= ~bit;
    info.si_pid = (pid_t)t->task_log->tgid;
    ptrace(PTRACE_SETSIGINFO, t->tid, 0, &info);
    return true;
}

/* Replay: signals by which a thread stops its siblings and lets them go on, as garbage collectors do.
 *
 * The handler of the first signal waits by rt_sigsuspend for the second.  Which thread does this, how often, and where it finds
 * the others, depends on the threads' timing, and nothing outside sees it.  So these signals come when they are sent,
 * and the log's are dropped. */
#include "base/base.h"
#include "log/log.h"
#include "mode/mode.h"
#include "replay/index/index.h"
#include "replay/signals/internal.h"
#include "replay/signals/signals.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

static uint64_t bit(int sig)
{
    return sig > 0 && sig <= 64 ? 1ULL << (sig - 1) : 0;
}

/* The signal that a sibling sent; 0: it is no such event. */
static int sent_by_sibling(const struct task_log *s, size_t i)
{
    const struct event *e = i < s->count ? s->event[i] : NULL;
    if (!e || !replay_is_signal(e))
        return 0;
    siginfo_t info = replay_siginfo(e->record);
    return info.si_code == SI_TKILL && info.si_pid == (pid_t)s->tgid ? info.si_signo : 0;
}

static bool is_call(const struct task_log *s, size_t i, long nr)
{
    return i < s->count && s->event[i]->record->call == (uint32_t)nr;
}

static bool is_suspension(const struct task_log *s, size_t i)
{
    return sent_by_sibling(s, i) && is_call(s, i + 1, REX_NR_rt_sigsuspend) && sent_by_sibling(s, i + 2);
}

static bool sends_one(const struct task_log *s, size_t i, uint64_t signals)
{
    return is_call(s, i, REX_NR_tgkill) && s->event[i]->record->args[0] == s->tgid && signals & bit((int)s->event[i]->record->args[2]);
}

static void cross_out(struct task_log *s, uint64_t signals)
{
    for (size_t i = 0; i < s->count; i++)
        if (signals & bit(sent_by_sibling(s, i))) {
            replay_put_aside(s->event[i]);
            if (is_call(s, i + 1, REX_NR_rt_sigsuspend))
                replay_put_aside(s->event[i + 1]);
        } else if (sends_one(s, i, signals)) {
            replay_put_aside(s->event[i]);
            if (i && is_call(s, i - 1, REX_NR_getpid))
                replay_put_aside(s->event[i - 1]);
        }
}

void replay_suspend_start(void)
{
    for (uint32_t k = 0; !is_serialized() && k < task_log_total(); k++) {
        struct task_log *s = task_log_of(k), *leader = task_log_named(s->tgid);
        for (size_t i = 0; leader && i < s->count; i++)
            if (is_suspension(s, i)) {
                leader->suspend |= bit(sent_by_sibling(s, i));
                leader->resume |= bit(sent_by_sibling(s, i + 2));
            }
    }
    for (uint32_t k = 0; k < task_log_total(); k++) {
        const struct task_log *leader = task_log_named(task_log_of(k)->tgid);
        if (leader && leader->suspend)
            cross_out(task_log_of(k), leader->suspend | leader->resume);
    }
}

static const struct task_log *leader_of(const struct task *t)
{
    const struct task_log *leader = has_shared_work(t) ? task_log_named(t->task_log->tgid) : NULL;
    return leader && leader->suspend ? leader : NULL;
}

/* The tracer sends it, so that a thread that waits at a stop can be let go to have it. */
static void send_signal(struct task *t, int sig)
{
    struct task *other = replay_sibling_named(t, (uint32_t)t->args[1]);
    skip_call(t, other && !tgkill(other->leader->tid, other->tid, sig) ? 0 : -ESRCH);
    if (!other || !other->held || other == t)
        return;
    other->held = false;
    rewind_call(other);
    resume(other, 0);
}

/* Whether the call is about such signals. */
bool replay_suspends(struct task *t)
{
    const struct task_log *leader = leader_of(t);
    if (!leader)
        return false;
    if (t->nr == REX_NR_rt_sigsuspend)
        return signal_state(t)->suspended;              /* the kernel answers */
    int sig = (int)t->args[2];
    if (t->nr != REX_NR_tgkill || (int)t->args[0] != (int)leader->tgid || !((leader->suspend | leader->resume) & bit(sig)))
        return false;
    send_signal(t, sig);
    return true;
}

bool replay_suspend_signal(struct task *t, siginfo_t *info)
{
    const struct task_log *leader = leader_of(t);
    if (!leader || info->si_code != SI_TKILL || info->si_pid != getpid() || !((leader->suspend | leader->resume) & bit(info->si_signo)))
        return false;
    signal_state(t)->suspended = !signal_state(t)->suspended && leader->suspend & bit(info->si_signo);
    info->si_pid = (pid_t)leader->tgid;
    ptrace(PTRACE_SETSIGINFO, t->tid, 0, info);
    return true;
}

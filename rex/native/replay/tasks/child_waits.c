/* Replay: waiting for the ends of children. */
#include "base/base.h"
#include "log/log.h"
#include "replay/index/index.h"
#include "replay/match/match.h"
#include "replay/send/send.h"
#include "replay/tasks/internal.h"
#include "replay/tasks/tasks.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <sys/wait.h>

/* Whether the child had ended, and not only stopped or gone on. */
static bool was_end(const struct record *r)
{
    const struct field *f = record_field(r, r->call == REX_NR_wait4 ? 1 : 2, FIELD_OUT);
    siginfo_t info;
    int status = 0;
    if (f && r->call == REX_NR_wait4 && f->length == sizeof status) {
        memcpy(&status, f->data, sizeof status);
        return WIFEXITED(status) || WIFSIGNALED(status);
    }
    if (!f || f->length < sizeof info)
        return true;
    memcpy(&info, f->data, sizeof info);
    return info.si_code == CLD_EXITED || info.si_code == CLD_KILLED || info.si_code == CLD_DUMPED;
}

/* Whether the log's wait was for the same children.  Threads poll as often as their timing has it, so that polls which found none may
 * be left: none of them answers a wait that lasts until a child has ended. */
bool replay_waits_for_same(const struct task *t, const struct event *e)
{
    const struct record *r = e->record;
    bool by_id = r->call == REX_NR_waitid, found_none = !r->result && !replay_waited(r);
    return (int)r->args[by_id] == (int)t->args[by_id] && (!by_id || r->args[0] == t->args[0]) && (!found_none || replay_child_looks(t));
}

/* Threads poll for children as often as they like; only the children's numbers need translation.  If an end was reported, maybe before the
 * child has ended, it is waited for: the program may not look again. */
void replay_child_wait_freely(struct task *t)
{
    int which = t->nr == REX_NR_waitid;
    int64_t pid = (int64_t)(int)t->args[which];
    struct task *child = pid > 0 ? replay_job_waited(t, (uint32_t)pid) : NULL;
    pid_t real = child ? child->tid : pid > 0 ? replay_dead((uint32_t)pid) : 0;
    struct user_regs_struct r = t->regs;
    if (real && (!which || t->args[0] == P_PID)) {
        *(which ? &r.rsi : &r.rdi) = (ull)real;
        if (child && child->task_log->is_end_reported)
            *(which ? &r.r10 : &r.rdx) &= ~(ull)WNOHANG;
        regs_set(t, &r);
    }
    t->want_exit = true;
}

static uint32_t recorded_number(pid_t real)
{
    uint32_t recorded = replay_recorded(real);
    return recorded ? recorded : (uint32_t)real;
}

static bool reports_child(const struct event *e, const void *pid)
{
    return !e->done && replay_waited(e->record) == *(const int64_t *)pid && was_end(e->record);
}

/* The logged end of that child, which another call should have reported, has happened. */
static int64_t translate_child(struct task *t, pid_t real)
{
    int64_t pid = recorded_number(real);
    const struct event *e = shares_memory(t) ? NULL : replay_find(t, t->nr, call_key(call_of(t->nr), t->nr, NULL, 0, t->args), reports_child, &pid);
    const struct event **last = &t->leader->task_log->last_end;
    if (e)
        replay_done(&events[e->number]);
    if (e && (!*last || e->number > (*last)->number))
        *last = e;
    return pid;
}

/* It comes before an end after which nobody was left; that end has been reported: the kernel knows who is left. */
static bool is_past_last_end(const struct task *t, const struct event *e)
{
    const struct event *last = t->leader->task_log->last_end, *next = last ? last->next[PLAIN] : NULL;
    return next && e->number < last->number && next->record->result == -ECHILD;
}

void replay_child_reported(struct task *t, int64_t result)
{
    siginfo_t info;
    if (t->nr == REX_NR_waitid && !result && t->args[2] && mem_read(t->tid, t->args[2], &info, sizeof info) && info.si_pid > 0) {
        info.si_pid = (pid_t)translate_child(t, info.si_pid);
        mem_write(t->tid, t->args[2], &info, sizeof info);
    }
    give_result(t, result > 0 ? translate_child(t, (pid_t)result) : result);
}

/* Waits for the end of the very child that the log names, for as long as it takes. */
void replay_child_wait(struct task *t, struct event *e)
{
    const uint64_t not_ends = WNOHANG | WUNTRACED | WCONTINUED;
    int64_t pid = replay_waited(e->record);
    if (replay_group_waits(t, e, pid)) {
        replay_done(e);
        t->matched = NULL;
        replay_child_wait_freely(t);
        return;
    }
    struct task *child = pid > 0 ? replay_job_waited(t, (uint32_t)pid) : NULL;
    pid_t real = child ? child->tid : pid > 0 ? replay_dead((uint32_t)pid) : 0;
    bool is_end = real && was_end(e->record), found_none = !pid && !e->record->result;
    if ((is_end && replay_child_looks(t) && child && child->alive && has_shared_work(t)) || (found_none && is_past_last_end(t, e))) {
        e->taker = NULL;                  /* it may look earlier than when recorded */
        t->matched = NULL;
        replay_child_wait_freely(t);
    } else if (!is_end)
        replay_emulate(t, e);
    else if (t->nr == REX_NR_wait4)
        change_call(t, t->nr, (uint64_t)real, t->args[1], t->args[2] & ~not_ends, t->args[3]);
    else
        change_call(t, t->nr, P_PID, (uint64_t)real, t->args[2], t->args[3] & ~not_ends);
}

/* The exit code of the child that the wait reported, in its arguments; -1: it was not requested, or the child did not exit. */
static int exit_code(struct task *t)
{
    siginfo_t info;
    int status;
    if (t->nr == REX_NR_wait4)
        return t->args[1] && mem_read(t->tid, t->args[1], &status, sizeof status) && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return t->args[2] && mem_read(t->tid, t->args[2], &info, sizeof info) && info.si_code == CLD_EXITED ? info.si_status : -1;
}

static void set_exit_code(struct task *t, int code)
{
    int status = code << 8;
    if (t->nr == REX_NR_wait4)
        mem_write(t->tid, t->args[1], &status, sizeof status);
    else
        mem_write(t->tid, t->args[2] + offsetof(siginfo_t, si_status), &code, sizeof code);
}

/* What the log has of a child's end.  Its exit code depends on which of a sibling's jobs it has done. */
void replay_child_ended(struct task *t, const struct record *r)
{
    int code = has_shared_work(t) ? exit_code(t) : -1;
    put_outputs(t, r);
    if (code >= 0 && exit_code(t) >= 0)
        set_exit_code(t, code);
}

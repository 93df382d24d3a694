/* Replay: processes that share memory (pools of workers, servers with a shared cache).
 *
 * They divide work by locks that no stop shows, so that another may do now what one did when
 * recorded.  Like the threads of one process they take each other's answers.  What goes on
 * only among them is not of the log but live: who ends, is waited for, and has signals. */
#include "base/base.h"
#include "log/log.h"
#include "mode/mode.h"
#include "replay/index/index.h"
#include "replay/send/send.h"
#include "replay/tasks/internal.h"
#include "replay/tasks/tasks.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <sched.h>
#include <sys/wait.h>

/* Whether t and a process of the log, by its number there, are in one memory group. */
static bool is_in_group_of(const struct task *t, uint32_t recorded)
{
    struct task_log *s = shares_memory(t) ? task_log_named(recorded) : NULL;
    return s && s->memory_group && s->memory_group == t->task_log->memory_group;
}

static bool has_shared_memory(pid_t tid)
{
    struct mapping m;
    bool found = false;
    FILE *f = mappings_open(tid);
    while (!found && mappings_next(f, &m))
        found = !memcmp(m.rights, "rw-s", sizeof m.rights);
    if (f)
        fclose(f);
    return found;
}

static bool is_within_group(const struct task_log *s, const struct record *r)
{
    siginfo_t info = replay_siginfo(r);
    struct task_log *sender = replay_sender(&info);
    return sender && sender->memory_group == s->memory_group;
}

/* By process, its leader's index: where it next executes a program, which leaves the memory group.  NULL: nowhere. */
static const struct record **ends;

static void find_ends(void)
{
    ends = ends ? ends : zalloc((task_log_total() + 1) * sizeof *ends);
    memset(ends, 0, (task_log_total() + 1) * sizeof *ends);
    for (size_t i = event_count; i-- > 0; )
        if (!events[i].done && replay_executes(events[i].record))
            ends[task_log_leader(events[i].record->task)->index] = events[i].record;
}

static bool is_before_end(const struct task_log *s, const struct record *r)
{
    const struct record *end = ends[task_log_leader(s->index)->index];
    return !end || r < end;               /* as they lie in the log */
}

/* What is live from now on is crossed out of the log, but signals that were sent before. */
static void cross_out(struct task_log *s)
{
    const uint8_t *sent = task_log_leader(s->index)->sent;
    for (size_t i = s->cursor; i < s->count && is_before_end(s, s->event[i]->record); i++) {
        const struct record *r = s->event[i]->record;
        if (r->call == EVENT_PIPE || (r->call == EVENT_SIGNAL && !sent[r->args[0] & 63] && is_within_group(s, r)))
            replay_done(s->event[i]);
        if (call_of(r->call) && is_over_by_time(call_of(r->call), r->result))
            s->event[i]->ordered = false; /* memory groups wait by the kernel's clock */
    }
}

/* One of the processes that share memory by name: they are all one group. */
void replay_group_named(struct task_log *s)
{
    enum { BY_NAME = UINT32_MAX };
    s->memory_group = BY_NAME;
    find_ends();
    cross_out(s);
}

/* All that descends from a process, in the log, until it executes; parents come before their children. */
static void name_group(struct task_log *root)
{
    root->memory_group = root->index + 1;
    find_ends();
    for (uint32_t i = root->index + 1; i < task_log_total(); i++) {
        struct task_log *s = task_log_of(i);
        struct task_log *parent = s->birth && s->birth->args[0] < i ? task_log_of((uint32_t)s->birth->args[0]) : NULL;
        if (parent && parent->memory_group == root->memory_group && is_before_end(parent, s->birth))
            s->memory_group = root->memory_group;
    }
    for (uint32_t i = root->index; i < task_log_total(); i++)
        if (task_log_of(i)->memory_group == root->memory_group)
            cross_out(task_log_of(i));
}

/* A process has been made, with its own copy of what is not shared. */
void replay_group_born(struct task *parent, struct task *t, uint64_t flags)
{
    if (flags & (CLONE_VM | CLONE_THREAD) || !parent->task_log->birth || !has_shared_memory(parent->tid))
        return;
    t->has_locks = true;
    task_watch_end(parent, END_WITH_LOCKS, true);
    if (is_serialized())
        return;
    struct task_log *leader = parent->leader->task_log;
    if (leader->birth && !leader->memory_group)
        name_group(leader);
    regime_shares_memory(parent->leader);
    regime_shares_memory(t);
}

/* ------------------------------------------------------------------ waiting, and signals */

/* Whether the call is a signal within a memory group: it runs, on the real process numbers. */
bool replay_group_kill(struct task *t)
{
    bool by_group = arg_of(t->nr, REX_WORD_SIG) == 2;        /* process and thread are named */
    uint32_t number = (uint32_t)t->args[by_group];
    struct task *target = task_named(number);
    if (replay_inside_kill(t))
        return true;
    if (!by_group && (int)number > 0 && !target && is_in_group_of(t, number)) {
        skip_call(t, 0);                  /* it has ended already */
        t->matched = NULL;
        return true;
    }
    if (arg_of(t->nr, REX_WORD_PID) < 0 || (int)number <= 0 || !target || !shares_memory(target) || !is_in_group_of(t, number))
        return false;
    if (by_group && (!(target = task_named((uint32_t)t->args[1])) || !target->alive))
        return false;
    struct user_regs_struct r = t->regs;
    r.rdi = (ull)(by_group ? target->leader->tid : target->tid);
    if (by_group)
        r.rsi = (ull)target->tid;
    regs_set(t, &r);
    t->matched = NULL;
    return true;
}

/* Whether who is sent the signal has ended by itself before that, in the log, and has not come as far here. */
bool replay_group_ends_first(const struct task *t, const struct event *e)
{
    const struct record *r = e->record;
    const struct rex_call *c = call_of(r->call);
    bool by_group = arg_of(r->call, REX_WORD_SIG) == 2;
    const struct task *target = c && c->hook == REX_HOOK_KILL && has_shared_work(t) && (int)r->args[by_group] > 0 ? task_named((uint32_t)r->args[by_group]) : NULL;
    const struct task_log *s = target && has_shared_work(target) ? target->task_log : NULL;
    for (size_t i = s ? s->count : 0; i-- > 0; ) {
        const struct rex_call *last = call_of(s->event[i]->record->call);
        if (last && last->hook == REX_HOOK_EXIT)
            return !s->event[i]->done && s->event[i]->number < e->number;
    }
    return false;
}

/* A wait that a signal of the memory group ended: the signal comes when it is sent, and so ends the wait.  e: NULL where the log has none. */
bool replay_group_pauses(struct task *t, struct event *e)
{
    const struct task_log *s = t->task_log;
    const struct rex_call *c = call_of(t->nr);
    bool waits = c && (c->hook == REX_HOOK_PAUSE || (c->hook == REX_HOOK_SLEEP && e && e->record->result == -EINTR));
    size_t i = 0;
    if (!waits || !shares_memory(t))
        return false;
    while (e && i < s->count && s->event[i] != e)
        i++;
    if (e && (i + 1 >= s->count || s->event[i + 1]->record->call != EVENT_SIGNAL || !is_within_group(s, s->event[i + 1]->record)))
        return false;
    if (e)
        replay_done(e);
    t->matched = NULL;
    t->want_exit = false;
    return true;
}

static bool has_socket_at(const struct task *t, const struct address *name)
{
    static struct address found;          /* the last, as who is woken is so again and again */
    for (size_t i = 0; !address_equals(&found, name) && i < event_count; i++) {
        const struct record *r = events[i].record;
        bool tells = r->call == REX_NR_getsockname && r->result >= 0;
        struct address at = address_of(tells || r->call == REX_NR_bind ? record_field(r, 1, tells ? FIELD_OUT : FIELD_IN) : NULL);
        if (at.n && address_equals(&at, name) && replay_is_sibling(t, task_log_of(r->task)))
            found = at;
    }
    return address_equals(&found, name);
}

/* Whether the call is a datagram within the memory group that the log does not have of the task: members wake each other as their memory demands. */
bool replay_group_wakeup(struct task *t)
{
    struct address to;
    struct bytes said = {0};
    if (!shares_memory(t) || !t->stream || !address_sent_to(t, &to) || to.a.ss_family != AF_UNIX || !has_socket_at(t, &to))
        return false;
    pipe_gather(t, &said, SIZE_MAX);
    skip_call(t, (int64_t)said.used);
    bytes_free(&said);
    return true;
}

/* A signal that a tracee has caused by a call that ran. */
bool replay_group_signal(struct task *t, siginfo_t *info)
{
    bool is_sent = info->si_code == SI_USER || info->si_code == SI_TKILL || info->si_code == SI_QUEUE;
    if (!shares_memory(t) || !(is_sent || (info->si_signo == SIGCHLD && info->si_code > 0)))
        return false;
    uint32_t sender = replay_recorded(info->si_pid);
    info->si_pid = (pid_t)sender;
    if (sender)
        ptrace(PTRACE_SETSIGINFO, t->tid, 0, info);
    return sender != 0;
}

/* A wait for children that are in the memory group, e being what the log has, if anything. */
bool replay_group_waits(struct task *t, const struct event *e, int64_t logged)
{
    bool by_id = t->nr == REX_NR_waitid;
    int64_t asked = by_id && t->args[0] != P_PID ? -1 : (int64_t)(int)t->args[by_id];
    if (asked > 0)
        return is_in_group_of(t, (uint32_t)asked);
    return shares_memory(t) && (!e || logged <= 0 || is_in_group_of(t, (uint32_t)logged));
}

/* The wait that reported the process' end. */
static const struct record *awaited(struct task_log *s)
{
    for (size_t i = 0; !s->awaited_known && i < event_count && !s->awaited; i++) {
        const struct record *r = events[i].record;
        const struct rex_call *c = r > s->birth ? call_of(r->call) : NULL;
        if (c && c->hook == REX_HOOK_WAIT && replay_waited(r) == (int64_t)s->tgid)
            s->awaited = r;
    }
    s->awaited_known = true;
    return s->awaited;
}

/* Whether its memory group had waited for the task's end before the event: then the event is no work that the task could have done. */
bool replay_group_is_past(struct task *t, const struct event *e)
{
    const struct record *wait = shares_memory(t) && t->task_log->birth ? awaited(task_log_leader(t->task_log->index)) : NULL;
    return wait && task_log_leader(wait->task) == task_log_leader(e->record->task) && wait < e->record;
}

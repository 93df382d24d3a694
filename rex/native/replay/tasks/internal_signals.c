/* Replay: signals between threaded processes of an experiment whose connections are made again.
 *
 * As what they say to each other, so is live how they end each other: a signal comes when it is sent, and what
 * the log has of it is crossed out. */
#include "base/base.h"
#include "log/log.h"
#include "replay/index/index.h"
#include "replay/peers/peers.h"
#include "replay/send/send.h"
#include "replay/tasks/internal.h"
#include "replay/tasks/tasks.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <sys/socket.h>

static bool is_sent(const siginfo_t *info)
{
    return info->si_code == SI_USER || info->si_code == SI_QUEUE;
}

static bool is_between(const struct task_log *s, const struct record *r)
{
    siginfo_t info = replay_siginfo(r);
    const struct task_log *sender = is_sent(&info) ? replay_sender(&info) : NULL;
    return sender && peers_share(sender) && peers_share(s) && sender->tgid != s->tgid;
}

/* With the wait that it ended. */
void replay_inside_signals_start(void)
{
    for (uint32_t k = 0; k < task_log_total() && peers_any_inside(); k++) {
        struct task_log *s = task_log_of(k);
        for (size_t i = 0; i < s->count; i++) {
            const struct record *before = i ? s->event[i - 1]->record : NULL;
            if (s->event[i]->record->call != EVENT_SIGNAL || !is_between(s, s->event[i]->record))
                continue;
            replay_put_aside(s->event[i]);
            if (before && before->result == -EINTR && call_of(before->call))
                replay_put_aside(s->event[i - 1]);
        }
    }
}

/* Whether the call is such a signal: then it runs. */
bool replay_inside_kill(struct task *t)
{
    int number = (int)t->args[0], who = number < 0 ? -number : number;
    struct task *target = t->nr == REX_NR_kill && who > 1 ? task_named((uint32_t)who) : NULL;
    if (!target || !target->task_log->birth || !peers_share(t->task_log) || !peers_share(target->task_log) || target->leader == t->leader)
        return false;
    struct user_regs_struct r = t->regs;
    r.rdi = (ull)(number < 0 ? -target->tid : target->tid);
    regs_set(t, &r);
    t->matched = NULL;
    t->want_exit = true;
    return true;
}

bool replay_inside_signal(struct task *t, siginfo_t *info)
{
    if (!is_sent(info) || !peers_share(t->task_log))
        return false;
    const struct task *sender = replay_task_of(info->si_pid);
    if (!sender || !sender->task_log->birth || !peers_share(sender->task_log) || sender->leader == t->leader)
        return false;
    info->si_pid = (pid_t)sender->task_log->tid;
    ptrace(PTRACE_SETSIGINFO, t->tid, 0, info);
    return true;
}

/* Over a network the first data sent to a peer that has gone is lost, and the next send fails; a local socket fails at once.  The result,
 * if no such call of the process failed when recorded. */
int64_t replay_inside_broken(struct task *t)
{
    for (size_t i = 0; i < event_count; i++) {
        const struct record *r = events[i].record;
        if (r->call == t->nr && (r->result == -EPIPE || r->result == -ECONNRESET) && task_log_of(r->task)->tgid == t->task_log->tgid)
            return -EPIPE;
    }
    struct bytes data = {0};
    pipe_gather(t, &data, SIZE_MAX);
    int64_t sent = (int64_t)data.used;
    bytes_free(&data);
    t->lost_reader = true;
    for (int i = 0; i < 6; i++)
        if (call_of(t->nr)->arg[i].word == REX_WORD_MSGFLAGS)
            t->lost_reader = !(t->args[i] & MSG_NOSIGNAL);
    return sent;
}

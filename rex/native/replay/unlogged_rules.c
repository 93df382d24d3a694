/* Calls that the log has no event for: the rows of unlogged_rules. */
#include "base/base.h"
#include "log/log.h"
#include "mode/mode.h"
#include "replay/clock/clock.h"
#include "replay/files/files.h"
#include "replay/index/index.h"
#include "replay/ipc/ipc.h"
#include "replay/match/match.h"
#include "replay/order/order.h"
#include "replay/regime/regime.h"
#include "replay/replay.h"
#include "replay/rules/rules.h"
#include "replay/signals/signals.h"
#include "replay/tasks/tasks.h"
#include "replay/wait/wait.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <sched.h>

/* Its log ends here, by a kill that it has, or waits for. */
bool replay_waits_for_kill(struct task *t)
{
    bool is_doomed = replay_is_doomed(t);
    if (is_doomed && !replay_kill_due(t))
        replay_block(t);
    return is_doomed;
}

static bool killed_here(struct request *q)
{
    return replay_waits_for_kill(q->t);
}

static bool timer(struct request *q)
{
    return replay_ticks(q->t);
}

static bool memory_group_pause(struct request *q)
{
    return replay_group_pauses(q->t, NULL);
}

static bool empty_poll(struct request *q)
{
    return replay_finds_nothing(q->t, q->key);
}

static bool more_random_bytes(struct request *q)
{
    return replay_draws_more(q->t);
}

/* A thread whose log has ended made no further call that returned: it waits now as it did. */
static bool never_returned(struct task *t, const struct rex_call *c)
{
    bool takes = t->stream && (op_of(t->nr) == REX_OP_READ || op_of(t->nr) == REX_OP_RECV || t->nr == REX_NR_recvmmsg || t->nr == REX_NR_mq_timedreceive || c->hook == REX_HOOK_ACCEPT);
    bool waits = c->hook == REX_HOOK_PAUSE || t->nr == REX_NR_rt_sigtimedwait || t->nr == REX_NR_msgrcv || replay_alone_cut_off(t);
    if (is_serialized())                        /* others may as well: there they wait for their turn */
        waits = waits || c->hook == REX_HOOK_SLEEP || c->hook == REX_HOOK_WAIT || is_readiness_wait(c) || c->policy == REX_STREAM;
    bool is_last = !replay_next(t) || (c->hook == REX_HOOK_ACCEPT && has_shared_work(t));   /* siblings may have left it events */
    return (is_serialized() || !is_single(t)) && t->task_log->birth && is_last && (takes || waits);
}

static bool never_returns(struct request *q)
{
    if (!never_returned(q->t, q->call))
        return false;
    if (!replay_takes_number(q->t, q->call))
        replay_block(q->t);
    return true;
}

/* Among those that share work the log need not have what is between them, or what only they themselves know. */
static bool between_siblings(struct request *q)
{
    struct task *t = q->t;
    const struct rex_call *c = q->call;
    if ((q->last && c->hook == REX_HOOK_OPEN) || !has_shared_work(t) || !t->task_log->birth)
        return false;
    if (t->nr == REX_NR_getpid || t->nr == REX_NR_gettid) {
        skip_call(t, t->nr == REX_NR_getpid ? t->task_log->tgid : t->task_log->tid);
        return true;
    }
    if (c->hook == REX_HOOK_EPOLL_CTL || (t->nr == REX_NR_shutdown && t->stream)) {     /* which another thread had closed before */
        if (c->hook == REX_HOOK_EPOLL_CTL && replay_epoll_ctl(t))
            t->want_exit = true;
        else
            skip_call(t, 0);
        return true;
    }
    if (c->hook == REX_HOOK_OPEN && t->path && (!strncmp(t->path, "/proc/", 6) || !strncmp(t->path, "/sys/", 5))) {
        skip_call(t, -ENOENT);            /* a runtime queries the kernel as its threads come, and does without */
        return true;
    }
    return c->hook == REX_HOOK_EXIT || c->hook == REX_HOOK_CLOSE || (c->hook == REX_HOOK_KILL && replay_group_kill(t))
        || (c->hook == REX_HOOK_IPC && replay_ipc_freely(t)) || (c->hook == REX_HOOK_PEER && replay_peer_freely(t));
}

static bool thread_wakeup(struct request *q)
{
    return replay_wakes_thread(q->t);
}

static bool memory_group_datagram(struct request *q)
{
    return replay_group_wakeup(q->t);
}

/* The process had ended, or had executed, before it came to this: others would see it. */
static bool past_the_end(struct request *q)
{
    struct task *t = q->t;
    q->is_beyond = replay_was_cut_off(t) && !replay_is_of_siblings(t);
    bool is_seen = t->stream == 2 || t->stream == 3 || (q->call->hook == REX_HOOK_TREE && !replay_is_of_own(t));
    if (!q->is_beyond || q->last || !is_seen)
        return false;
    replay_block(t);
    return true;
}

/* Threads wait as often as they have to. */
static bool extra_poll(struct request *q)
{
    return is_readiness_wait(q->call) && replay_wait_freely(q->t, NULL);
}

static bool extra_sleep(struct request *q)
{
    struct task *t = q->t;
    const struct rex_call *c = q->call;
    if (!(c->hook == REX_HOOK_SLEEP || c->hook == REX_HOOK_WAIT) || !has_shared_work(t))
        return false;
    t->only_waits = c->hook == REX_HOOK_SLEEP;
    replay_unmatched(t, c);
    return true;
}

static bool unlogged_name(struct request *q)
{
    return !q->last && (replay_own_file(q->t) || replay_queries_name_of_sibling(q->t, q->call));
}

/* Whether a replay that is right may come to this call. */
static bool is_expected(struct request *q)
{
    struct task *t = q->t;
    bool is_new_thread = q->call->hook == REX_HOOK_FORK && fork_flags(t) & CLONE_THREAD;
    bool is_extra = t->leader->task_log && !t->task_log->birth;
    bool is_asked = q->asks_limit || t->nr == REX_NR_sched_getaffinity || t->nr == REX_NR_clock_gettime;    /* it had no need of it then */
    bool is_pace = (has_shared_work(t) && (q->last || is_readiness_wait(q->call) || is_asked))
        || (q->last && (replay_is_pipe_stat(q->last) || replay_is_pace(t->nr)));
    return is_new_thread || is_extra || is_pace || q->is_beyond;
}

static bool divergence(struct request *q)
{
    if (!is_expected(q))
        replay_diverged(q->t, NULL, q->last ? "repeated" : "not in the log");
    if (!q->last && replay_is_output(q->t->stream, q->t->nr))
        replay_output_differs(q->t);
    return false;
}

static bool open_again(struct request *q)
{
    if (!q->last || q->call->hook != REX_HOOK_OPEN)
        return false;
    q->t->matched = q->last = replay_again(q->t, q->last);
    replay_open(q->t, q->last);
    return true;
}

static bool last_answer(struct request *q)
{
    if (!q->last)
        return false;
    put_outputs(q->t, q->last->record);
    replay_clock_goes_on(q->t, q->call, q->key);
    skip_call(q->t, lists_directory(q->t->nr) && q->last->record->result > 0 ? 0 : q->last->record->result);
    return true;
}

static bool as_if_alone(struct request *q)
{
    replay_unmatched(q->t, q->call);
    return true;
}

const struct rule unlogged_rules[] = {
    /* The log ends here by a kill: the task must not do more. */
    {"killed-here", killed_here},
    /* Threads that wait poll more often than when recorded: each kind of wait answers for itself. */
    {"timer", timer},
    /* A process of a memory group runs on until its partners have come as far. */
    {"memory-group-pause", memory_group_pause},
    /* A poll that found nothing may find nothing once more. */
    {"empty-poll", empty_poll},
    /* A thread that draws more often has more bytes. */
    {"more-random-bytes", more_random_bytes},
    /* A thread whose log has ended waits now as it did then. */
    {"never-returns", never_returns},
    /* What siblings do among themselves the kernel answers. */
    {"between-siblings", between_siblings},
    /* A signal from thread to thread, once more than recorded. */
    {"thread-wakeup", thread_wakeup},
    /* A datagram that wakes a partner, once more than recorded. */
    {"memory-group-datagram", memory_group_datagram},
    /* The process had ended, or executed, before this: others would see it, so the thread waits. */
    {"past-the-end", past_the_end},
    /* Threads poll as often as they have to. */
    {"extra-poll", extra_poll},
    /* Threads sleep, and wait for children, as often as they have to. */
    {"extra-sleep", extra_sleep},
    /* New random names of threads are answered by the kernel. */
    {"unlogged-name", unlogged_name},
    /* Reports what none of the rows above expects, and acts on none: the rows below answer. */
    {"divergence", divergence},
    /* A file that was opened before is opened again. */
    {"open-again", open_again},
    /* The answer given last to an equal call is given again. */
    {"last-answer", last_answer},
    /* Nothing outside is contacted: the call fails as if there were nothing. */
    {"as-if-alone", as_if_alone},
    {NULL, NULL},
};

void replay_without_event(struct request *q)
{
    struct task *t = q->t;
    q->asks_limit = t->nr == REX_NR_prlimit64 && !t->args[2] && has_shared_work(t);     /* for each pipe to a child that siblings have open */
    bool again = q->call->policy == REX_EMULATE || q->asks_limit || (q->call->hook == REX_HOOK_OPEN && has_shared_work(t));
    q->last = again && !replay_is_own_file(t) ? replay_last_answer(t, t->nr, q->key) : NULL;
    rules_act(unlogged_rules, q);
}

/* What a call of a replay meets, in order: the rows of entry_rules. */
#include "base/base.h"
#include "log/log.h"
#include "mode/mode.h"
#include "record/record.h"
#include "replay/clock/clock.h"
#include "replay/files/files.h"
#include "replay/index/index.h"
#include "replay/net/net.h"
#include "replay/pipes/pipes.h"
#include "replay/replay.h"
#include "replay/rules/rules.h"
#include "replay/send/send.h"
#include "replay/signals/signals.h"
#include "replay/tasks/tasks.h"
#include "replay/wait/wait.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"
#include "track/track.h"

static bool skipped_step(struct request *q)
{
    return replay_is_skipped(q->t);
}

/* The call comes again. */
static bool copied_descriptor(struct request *q)
{
    return replay_drops_copy(q->t);
}

static bool unknown_call(struct request *q)
{
    if (q->call)
        return false;
    skip_call(q->t, -ENOSYS);
    return true;
}

static bool signal_among_reads(struct request *q)
{
    return !is_serialized() && replay_finds_place(q->t);
}

static bool futex(struct request *q)
{
    struct task *t = q->t;
    if (t->nr != REX_NR_futex)
        return false;
    if (!is_serialized())
        replay_until(t);
    else if (is_timed_futex(t) && turns_is_cut(t))
        replay_block(t);
    else
        replay_timed_futex(t);
    return true;
}

static bool suspended_thread(struct request *q)
{
    return replay_suspends(q->t);
}

static bool internal_socket(struct request *q)
{
    call_streams(q->t);
    if (is_readiness_wait(q->call))
        replay_lines_awaited(q->t);
    return replay_inside_call(q->t);
}

/* Says what kind of call it is; acts on none. */
static bool kind(struct request *q)
{
    struct task *t = q->t;
    pipes_watch(t);
    if (t->nr == REX_NR_sendmsg)
        rights_leave(t);
    q->external = t->stream;
    if (!q->external)
        replay_identities(t);
    q->shares = is_shared_call(t);
    q->moves = !q->shares && is_pipe_call(t);            /* as much as when recorded */
    q->arranges = !q->moves && is_descriptor_call(t) && (q->external || !closes_pipe(t));
    return false;
}

static bool real_result(struct request *q)
{
    return replay_result(q->t);
}

static bool unlogged_call(struct request *q)
{
    struct task *t = q->t;
    bool is_internal = q->arranges && files_inside(t->files, (int)t->args[0]);
    if (q->moves || q->shares || is_internal || !(is_unlogged(t, q->external) || t->nr == REX_NR_restart_syscall))
        return false;
    replay_mapping(t);
    replay_interrupts(t);
    t->want_exit |= replay_makes_epoll(t->nr) || rights_may_arrive(t);
    if ((t->matched = replay_arrival(t)))
        replay_perform(t);
    return true;
}

static bool descriptor_call(struct request *q)
{
    if (!q->arranges)
        return false;
    descriptor_entry(q->t);
    q->t->want_exit = true;
    return true;
}

/* With one task at a time: a signal ended this call when recorded. */
static bool cut_call(struct request *q)
{
    if (!turns_is_cut(q->t))
        return false;
    if (!replay_takes_number(q->t, q->call))
        replay_block(q->t);
    return true;
}

static bool signal_to_wait_for(struct request *q)
{
    struct event *next = q->next;
    return next && replay_is_signal(next) && (replay_waits_for_end(q->t, next) || replay_waits_past_place(q->t, next));
}

static bool signal_later(struct request *q)
{
    if (!q->next || !replay_is_signal(q->next) || !replay_is_signal_later(q->t, q->next))
        return false;
    replay_block(q->t);
    return true;
}

static bool signal_before_call(struct request *q)
{
    struct task *t = q->t;
    struct event *next = q->next;
    if (next && replay_is_signal(next) && t->injected != next && !replay_ends_too_early(t, next)) {
        replay_send_now(t, next);
        if (t->injected)
            rewind_call(t);
        return t->injected;
    }
    if (t->injected)
        replay_signal_is_blocked(t);
    return false;
}

static bool moved_bytes(struct request *q)
{
    struct task *t = q->t;
    const uint64_t args[2] = {(uint64_t)t->nr, t->args[0]};
    if (!q->moves && !q->shares)
        return false;
    if ((t->matched = q->shares ? replay_shared_event(t) : replay_match(t, EVENT_PIPE, pipe_key(args))))
        replay_perform(t);
    else if (q->moves && !replay_waits_for_kill(t) && !log_is_plain)
        replay_diverged(t, NULL, "not in the log");
    return true;
}

/* By the arguments of the program it shows which child it is. */
static bool is_named_by_program(struct task *t)
{
    struct bytes arguments = {0};
    mem_strings(t->tid, t->args[name_args(t->nr).path + 1], &arguments);
    replay_arguments_then(&arguments);
    bool comes_again = replay_job_executes(t, &arguments);
    bytes_free(&arguments);
    return comes_again;
}

static bool pool_child_executes(struct request *q)
{
    struct task *t = q->t;
    replay_read_names(t);
    if (q->call->hook == REX_HOOK_EXEC && replay_is_nameless(t) && is_named_by_program(t))
        return true;
    q->key = call_key(q->call, t->nr, t->path, t->stream, t->args);
    if (q->call->key == REX_KEY_PATH)
        replay_did(t, q->key);
    return false;
}

/* What a socket is shows later, as it is connected or bound: the kernel makes it. */
static bool undecided_socket(struct request *q)
{
    return q->t->nr == REX_NR_socket && peers_decide_late(q->t->task_log) && replay_inside_socket(q->t);
}

/* The log knows nothing of the file: the kernel answers. */
static bool unlogged_file(struct request *q)
{
    struct task *t = q->t;
    bool is_decided = t->nr != REX_NR_socket || !peers_decide_late(t->task_log);
    if (is_decided && !replay_is_own(t) && (!lists_directory(t->nr) || !(t->matched = replay_listing(t))))
        t->matched = replay_nameless_stat(t, replay_match(t, t->nr, q->key));
    t->only_waits &= !t->matched || q->call->query || is_readiness_wait(q->call);
    return replay_is_own(t);
}

static bool stat_of_open_file(struct request *q)
{
    struct task *t = q->t;
    if (!replay_own_stat(t))
        return false;
    if (t->matched)
        replay_took(t->matched, 1);
    t->matched = NULL;
    return true;
}

static bool logged_event(struct request *q)
{
    if (!q->t->matched)
        return false;
    replay_perform(q->t);
    return true;
}

static bool without_event(struct request *q)
{
    replay_without_event(q);
    return true;
}

const struct rule entry_rules[] = {
    /* A step that does not run makes no call at all: nothing below may act. */
    {"skipped-step", skipped_step},
    /* It closes a descriptor and makes the call come again: nothing else may see the call twice. */
    {"copied-descriptor", copied_descriptor},
    /* The rows below read the call's declaration, which this one does not have. */
    {"unknown-call", unknown_call},
    /* Before all that reads the call: the signal comes first, and the call again. */
    {"signal-among-reads", signal_among_reads},
    /* Not in the log, and hot: only its timeout is of interest. */
    {"futex", futex},
    /* A thread that another one suspends goes no further, whatever its call. */
    {"suspended-thread", suspended_thread},
    /* Before the log is searched, which has nothing of what passes over internal sockets. */
    {"internal-socket", internal_socket},
    /* Acts on none: the rows below need to know what kind of call it is, and pipes are watched first. */
    {"kind", kind},
    /* The log has only the result, which depends on rights, flags or the file system: before those whose result is not in the log. */
    {"real-result", real_result},
    /* Most calls end here: they are not in the log, and the kernel makes them. */
    {"unlogged-call", unlogged_call},
    /* The kernel makes it; the table of descriptors follows at its exit. */
    {"descriptor-call", descriptor_call},
    /* Signals that the log has before this call, or in it, come before it is answered. */
    {"cut-call", cut_call},
    /* The task waits for a child's end or for a position in a file, where the signal belongs. */
    {"signal-to-wait-for", signal_to_wait_for},
    /* The task goes no further before the signal, whose sender has not come as far. */
    {"signal-later", signal_later},
    /* Last of the signals: it is sent now, and the call comes again. */
    {"signal-before-call", signal_before_call},
    /* Bytes of inner pipes and locks have events of their own, without names. */
    {"moved-bytes", moved_bytes},
    /* Reads the names, which the key needs; a pool's child learns by its exec which task it is. */
    {"pool-child-executes", pool_child_executes},
    /* Before matching, which would take a socket's event although the kernel makes it. */
    {"undecided-socket", undecided_socket},
    /* Matches the call; a file that only this replay has is the kernel's. */
    {"unlogged-file", unlogged_file},
    /* After matching, as its event is used up; the open has the answer. */
    {"stat-of-open-file", stat_of_open_file},
    /* The usual case: the log answers. */
    {"logged-event", logged_event},
    /* Last: nothing above has acted, and the log has no event. */
    {"without-event", without_event},
    {NULL, NULL},
};

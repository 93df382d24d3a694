/* Replay: the log in, answers to stops out.
 *
 * replay/match/match.c finds the event that answers a call, replay/order/order.c says whether it is its turn, replay/signals/signals.c brings
 * signals, replay/answer.c and the others act. */
#include "base/base.h"
#include "log/log.h"
#include "mode/mode.h"
#include "record/record.h"
#include "replay/clock/clock.h"
#include "replay/files/files.h"
#include "replay/index/index.h"
#include "replay/ipc/ipc.h"
#include "replay/match/match.h"
#include "replay/net/net.h"
#include "replay/order/order.h"
#include "replay/peers/peers.h"
#include "replay/pipes/pipes.h"
#include "replay/progress/delays.h"
#include "replay/progress/progress.h"
#include "replay/regime/regime.h"
#include "replay/replay.h"
#include "replay/rules/explain.h"
#include "replay/rules/rules.h"
#include "replay/send/send.h"
#include "replay/signals/signals.h"
#include "replay/tasks/tasks.h"
#include "replay/wait/wait.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"
#include "track/track.h"
#include "turns/turns.h"

#include <fcntl.h>
#include <sched.h>

/* ------------------------------------------------------------------ calls */

static void outputs_put(struct task *t, const struct event *e)
{
    replay_size_now(t);
    replay_names_now(t, e);
}

static void answered(struct task *t, struct event *e)
{
    replay_clock_note(t, e);
    replay_runtime_reached(t, e);
    replay_came_for(t, e);
}

const struct answer_steps answer_steps = {.outputs_put = outputs_put, .answered = answered};

void replay_perform(struct task *t)
{
    t->held = !replay_may_happen(t, t->matched);
    if (!t->held && !replay_group_pauses(t, t->matched))
        replay_call(t, call_of(t->nr), t->matched);
    if (!t->held)
        explain_done(t, t->matched);
}

static void entry(struct task *t)
{
    struct request q = {.t = t, .call = call_of(t->nr), .next = replay_alone_next(t)};
    t->last_stop = log_now();
    if (t->matched)
        t->matched->taker = NULL;
    t->matched = t->fruitless = NULL;
    replay_wait_end(t)->at = 0;
    t->stream = t->waits_inside = t->wait_ended = t->inside = 0;
    explain_begins(t);
    rules_act(entry_rules, &q);
}

/* A signal that came between earlier calls when recorded may find the thread waiting for a child by now. */
static bool waits_on(const struct task *t, const struct rex_call *c)
{
    return c->hook == REX_HOOK_WAIT && t->matched && t->matched->record->result >= 0;
}

static void exit_stop(struct task *t, int64_t result)
{
    const struct rex_call *c = call_of(t->nr);
    t->last_stop = log_now();
    result = replay_sooner_result(t, result);
    replay_identities_exit(t, result);
    if (replay_result_exit(t, result))
        return;
    if (t->blocked) {
        t->blocked = false;
        replay_leaves_number(t);
        rewind_call(t);
    } else if (replay_own_stat_exit(t))
        return;
    else if (is_descriptor_call(t))
        descriptor_exit(t, result);
    else if (replay_inside_exit(t, result) || replay_sleeps_longer(t, result))
        return;
    else if (t->nr == REX_NR_recvmsg && !t->stream && !t->matched && result >= 0)
        rights_arrive(t);
    else if (is_interrupted(result) && (waits_on(t, c) || (!t->injected && !replay_awaits_wakeup(t))) && !replay_ends_by_signal(t)) {
        if (t->waits_inside)
            replay_poll_exit(t, NULL, result);
        rewind_call(t);                   /* cut short by a signal that the log does not have here */
    } else if (t->nr == REX_NR_mmap)
        replay_mapped(t, result);
    else if (t->nr == REX_NR_futex)
        replay_until_exit(t, result);
    else {
        if (c->hook == REX_HOOK_FORK && t->matched && result >= 0)
            t->matched = replay_job_made(t, t->matched);
        replay_call_exit(t, c, t->matched, result);
        if (t->matched && t->matched->done)
            replay_send_with(t, t->matched);
    }
}

static void settle(void)
{
    static ull looked_at;
    replay_note_step();
    if ((replay_any_idle() || replay_still_for() > GIVE_UP_NS) && log_now() - looked_at > BUSY_NS) {    /* they never leave us without a report */
        looked_at = log_now();
        replay_idle();
    }
    for (struct task *t = tasks; t; t = t->next)
        if (t->alive && t->waits_inside && !t->wait_ended)
            replay_poll_settle(t);
        else if (t->alive && t->blocked && replay_is_doomed(t))
            replay_kill_due(t);
        else if (t->alive && t->blocked)
            replay_send_to_blocked(t);
    for (struct task *t = tasks; t; t = t->next)
        if (t->alive && t->held && replay_may_happen(t, t->matched)) {
            replay_perform(t);
            if (!t->held)
                resume(t, 0);
            t = tasks;                    /* the next may be before this one */
        }
    replay_lines_settle();
    replay_sooner_settle();
    replay_end_if_still();
}

/* ------------------------------------------------------------------ start and end */

static void begin(void)
{
    replay_watch_engine();
    log_load(plan.log);
    if (log_is_serialized())
        turns_start(&logged_turns);
    replay_match_start();
    replay_clock_start();
    replay_suspend_start();
    replay_stuck_start();
    replay_mappings_start();
    peers_start();
    replay_talks_start();
    peers_put_aside();
    replay_inside_signals_start();
    replay_group_files_start();
    replay_order_start();
    replay_pipes_start();
    replay_output_start();
    replay_shared_start();
    replay_results_start();
    replay_ipc_start();
    replay_rights_start();
    replay_steps_start();
    replay_inherited_start();
    overlay_start();
}

/* The terminal's signals are for us; descriptors that came from outside are stood in for. */
static void child_setup(void)
{
    const struct field *f = record_field(task_log_of(0)->birth, FIELD_WHOLE, FIELD_OUT);
    setsid();
    for (int fd = plan.no_stdin ? 0 : 1; fd < 1024; fd++)     /* what we inherit is none of the program's */
        fcntl(fd, F_SETFD, FD_CLOEXEC);
    for (size_t i = 0; f && i + 8 <= f->length; i += 8) {
        int pair[2];
        memcpy(pair, f->data + i, sizeof pair);
        int fd = pair[0], made = fd <= 2 ? fd : pair[1] == 2 || pair[1] == 3 ? pair[1] - 1 : open("/dev/null", O_RDWR | O_CLOEXEC);
        if (made == fd)
            fcntl(fd, F_SETFD, 0);
        else if (made >= 0)
            dup2(made, fd);
        if (made > 2 && made != fd)
            close(made);
    }
    replay_inherit();
}

static void finish(void)
{
    replay_ipc_finish();
    replay_modes_finish();
    explain_ends();
    divergence_ends();
    if (mem_refused())
        report_line("memory_refused=%llu", mem_refused());
    report_line("forced=%llu", replay_forced);
}

static int stop_of(long nr, int stop)
{
    return replay_makes_epoll(nr) ? REX_STOP_ALWAYS : stop;
}

static ull next_look_ns(void)
{
    if (replay_pipes_wait() || replay_alone_listens())
        return LOOKS_OFTEN_NS;
    bool soon = replay_any_idle() || replay_any_rests() || replay_any_computes() || replay_any_sooner() || replay_runtime_is_awaited();
    return soon ? LOOKS_SOON_NS : LOOKS_SELDOM_NS;
}

static void born(struct task *parent, struct task *t, uint64_t flags)
{
    replay_born(parent, t, flags);
    if (!parent && t->task_log->birth)
        replay_inherited(t);
}

const struct mode replayer = {
    .name = "replay", .replays = true, .is_fast = true, .begin = begin, .finish = finish, .child_setup = child_setup, .stop_of = stop_of,
    .entry = entry, .exit = exit_stop, .born = born, .execed = replay_execed, .signal = replay_signal,
    .stepped = replay_take_number, .ended = replay_ended, .tsc = replay_tsc, .random = replay_random, .start = replay_began,
    .settle = settle, .idle = replay_idle, .taken = replay_taken, .ready = replay_ready, .all_calls = replay_awaits_call,
    .leaves = replay_leaves_locks, .next_look_ns = next_look_ns, .follows_arrivals = replay_has_arrivals,
};

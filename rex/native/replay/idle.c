/* Replay: no task has reported for a while.  What the log has next for them comes now, or they wait for each other. */
#include "base/base.h"
#include "mode/mode.h"
#include "replay/clock/clock.h"
#include "replay/index/index.h"
#include "replay/net/net.h"
#include "replay/progress/delays.h"
#include "replay/progress/progress.h"
#include "replay/replay.h"
#include "replay/send/send.h"
#include "replay/signals/signals.h"
#include "replay/wait/wait.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

static bool do_all_sleep(void)
{
    for (struct task *t = tasks; t; t = t->next)
        if (!replay_rests_for(t, BUSY_NS))
            return false;
    return true;
}

/* The wait ran out when recorded, and what is outside came after it: it is over by itself. */
static bool runs_out(const struct task *t)
{
    return t->fruitless && t->fruitless->number < t->outside->number;
}

/* All sleep.  Whether time was skipped until a wait is over, or until its event comes. */
static bool skip_time(void)
{
    struct task *first = NULL;
    ull least = replay_lines_left();
    for (struct task *t = tasks; t; t = t->next) {
        if (replay_runtime_moves(t))
            return false;
        bool is_over = false;
        ull left = replay_runtime_wait_left(t, t->alive && replay_may_cut_short(t), &is_over);
        if (left && (!least || left < least)) {
            first = is_over ? t : NULL;
            least = left;
        }
    }
    replay_runtime_skip(least);
    if (first) {
        replay_wait_end(first)->has_come = true;
        replay_interrupt_wait(first);
    }
    return least;
}

/* Of those that wait for what is inside while the log has something outside for them: the first of that. */
static bool cut_first_short(void)
{
    struct task *first = NULL;
    struct event *best = NULL;
    for (struct task *t = tasks; t; t = t->next)
        if (t->alive && replay_may_cut_short(t) && !runs_out(t) && !replay_runtime_left(t, t->outside) && (!best || t->outside->number < best->number)) {
            best = t->outside;
            first = t;
        }
    if (first)
        replay_force_external(first, best);
    return first || skip_time();
}

static ull last_stop(void)
{
    ull last = 0;
    for (struct task *t = tasks; t; t = t->next)
        last = t->last_stop > last ? t->last_stop : last;
    return last;
}

/* A signal that is left may let a task go on. */
static void end_if_stuck(void)
{
    ull last = last_stop();
    if (is_serialized() || !replay_is_stuck(last) || !replay_send_left())
        replay_end_if_stuck(last);
}

void replay_idle(void)
{
    struct task *earliest = NULL;
    bool all_sleep = do_all_sleep(), sent = false;
    replay_note_sleep(all_sleep);
    for (struct task *t = tasks; t; t = t->next) {
        if (!t->alive)
            continue;
        struct event *due = replay_next_signal(t, false);
        if (replay_is_doomed(t) && (replay_was_killed(t) || replay_has_run_until_kill(t) || (all_sleep && !replay_time_comes(t->task_log->exit))))
            kill(t->leader->tid, SIGKILL);
        else if (replay_is_signal_due(t, due, all_sleep)) {
            replay_send_now(t, due);
            sent = true;
        } else if (t->held && (!earliest || t->matched->number < earliest->matched->number))
            earliest = t;
    }
    if (!sent && !all_sleep && replay_still_for() > OVERDUE_NS && replay_send_overdue(earliest))
        return;                           /* threads poll for as long as it does not come */
    if (sent || !all_sleep || (earliest && replay_time_comes(earliest->matched)) || cut_first_short() || replay_send_overdue(earliest))
        return;
    if (earliest)
        replay_force(earliest);
    else
        end_if_stuck();
}

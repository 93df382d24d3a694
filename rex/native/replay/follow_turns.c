/* One task at a time, in a replay: the turn passes where the log has it, and children's ends come where it has them. */
#include "base/base.h"
#include "log/log.h"
#include "mode/mode.h"
#include "replay/index/index.h"
#include "replay/progress/delays.h"
#include "replay/progress/progress.h"
#include "replay/replay.h"
#include "replay/send/send.h"
#include "replay/signals/signals.h"
#include "tracee/task.h"
#include "tracee/tracee.h"
#include "turns/turns.h"

enum { FEW = 3 };

static const struct record *next_passing(void)
{
    return turn.passed < turn_record_count ? turn_records[turn.passed] : NULL;
}

static bool is_due_from(const struct record *p, enum passed why)
{
    return p && p->args[2] == why && (uint32_t)p->args[0] == turn.index;
}

/* Whether the task that has the turn has come to where it passed it on. */
static bool is_over(const struct record *p)
{
    const struct task *now = turn.task;
    if (!now || (uint32_t)p->args[0] != turn.index)
        return true;
    switch (p->args[2]) {
    case PASSED_AT_RETURN:
        return now->parked && turns_place(now)->calls >= p->args[1];
    case PASSED_IN_CALL:
        return turns_place(now)->calls > p->args[1] || (!now->parked && turns_place(now)->calls == p->args[1]);
    case PASSED_IN_RUN:
        return now->parked && (turns_place(now)->preempted || turns_place(now)->at_entry || turns_place(now)->calls > p->args[1]);
    }
    return false;                         /* at its end: it is alive */
}

/* A task that was to be interrupted while it computed has come to its next call. */
static bool holds(struct task *t)
{
    const struct record *p = next_passing();
    if (t != turn.task || !is_due_from(p, PASSED_IN_RUN) || turns_place(t)->calls != p->args[1])
        return false;
    t->parked = turns_place(t)->at_entry = true;
    return true;
}

static bool looks_for_place(void)
{
    const struct record *p = next_passing();
    return is_due_from(p, PASSED_IN_RUN) && turn.calls == p->args[1];
}

static bool reaches(struct task *t, ull computed_ns)
{
    const struct record *p = next_passing();
    const struct field *f = record_field(p, FIELD_WHOLE, FIELD_OUT);
    struct user_regs_struct goal;
    if (!p->args[4] || !f || f->length < sizeof goal)
        return computed_ns >= p->args[3];
    memcpy(&goal, f->data, sizeof goal);
    pid_t tid = t->tid;
    return spin_reach(t, &goal, (unsigned)p->args[4]) || (task_of(tid) && !turns_place(t)->stepped_out && log_now() - turn.resumed_at > GIVE_UP_NS + p->args[3]);
}

static struct task *task_indexed(uint32_t index)
{
    for (struct task *t = tasks; t; t = t->next)
        if (t->alive && t->task_log && t->task_log->index == index)
            return t;
    return NULL;
}

/* It is stopped until a signal comes that it has as soon as it has the turn. */
static void wake(struct task *t)
{
    if (t->listening && replay_is_signal_at(t, false, turn.passed + 1))
        replay_send_now(t, replay_next(t));
}

/* Cuts short what signals cut short at this point, whoever had the turn: who sleeps no longer cannot be woken. */
static bool cuts(void)
{
    bool any = false;
    for (struct task *t = tasks; t; t = t->next) {
        if (!t->alive || t->parked || t->state == CALL_NONE || !replay_is_signal_at(t, true, turn.passed))
            continue;
        const struct record *r = replay_next(t)->record;
        if (r->args[5] < turn.passed || (int64_t)turn.calls >= r->result) {
            replay_send_now(t, replay_next(t));
            any = true;
        }
    }
    return any;
}

static void given(struct task *t)
{
    if (replay_is_signal_at(t, false, turn.passed))
        replay_send_now(t, replay_next(t));
}

static void kill_doomed(void)
{
    for (struct task *t = tasks; t; t = t->next)
        if (t->alive && replay_is_doomed(t) && replay_was_killed(t))
            kill(t->leader->tid, SIGKILL);
}

static bool is_stuck(struct task *t)
{
    return turns_quiet_ns() > (replay_forced < FEW ? GIVE_UP_NS : GIVE_UP_AGAIN_NS) && !(t && (t->stream == 2 || t->stream == 3));
}

/* The order of the log cannot be kept: whoever waits longest goes on. */
static struct task *force(void)
{
    replay_forced++;
    turn.passed += next_passing() != NULL;
    return turns_first_parked();
}

/* The next passing, but for those to a thread that the end of its process has overtaken: it may have had the turn before it was seen. */
static const struct record *passing_left(void)
{
    const struct record *p = next_passing();
    for (; p && is_over(p) && task_log_of(p->task)->is_taken && !task_indexed(p->task); p = next_passing()) {
        turn.passed++;
        turn.task = NULL;
        turn.index = p->task;
        turn.calls = INT64_MAX;           /* all that it made before it ended: what waits for some of them is due */
    }
    return p;
}

/* Who goes on now; NULL: nobody before something happens. */
static struct task *follow(bool waited)
{
    kill_doomed();
    const struct record *p = passing_left();
    struct task *now = turn.task, *next;
    if (!p || !is_over(p)) {
        if (now && now->parked)
            return now;
        if (waited && now)
            wake(now);
        return !now && !p ? turns_first_parked() : waited && is_stuck(now) ? force() : NULL;
    }
    next = task_indexed(p->task);
    if (next && next->parked) {
        turn.passed++;
        return next;
    }
    if (waited && next)
        wake(next);
    return waited && is_stuck(next) ? force() : NULL;
}

static uint32_t index_of(const struct task *t)
{
    return t->task_log->index;
}

/* What comes of a signal that ended the call is known already: when recorded it was not made again. */
static bool ends_by_signal(const struct task *t)
{
    return t->matched && t->matched->done && t->matched->record->result == -EINTR;
}

static void idle(ull last_report)
{
    replay_end_if_stuck(last_report);
    replay_end_if_still();
}

const struct turn_order logged_turns = {
    .given = given, .index_of = index_of, .ends_by_signal = ends_by_signal, .holds = holds, .reaches = reaches,
    .looks_for_place = looks_for_place, .cuts = cuts, .next = follow, .idle = idle,
};

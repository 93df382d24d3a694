/* One task at a time: who has the turn, and where it passes on.
 *
 * A task runs only while it has the turn; the others wait at a stop, or in the kernel in a
 * call that blocks.  The turn passes as a call returns, blocks or ends its task, and each
 * passing is in the log.  After each call all that it has woken is awaited, so that what the
 * kernel does follows from the order too.  serial_replay.c passes the turn as the log says. */
#include "engine.h"

#include <sys/prctl.h>

enum { SLICE_NS = 5000000, LOOK_NS = 2000000, LONGEST_NS = 64000000, FEW_STEPS = 400, MANY_STEPS = 2000, VERY_LONG_NS = 200000000, ALONE_NS = 1000000000 };
enum { LOOKS_COST = 16 };                 /* a step may take a tenth of a millisecond: so many times what looking took is left alone */
enum { SHORT_BEAT_NS = 30000, LONG_BEAT_NS = 5000000, SLACK_NS = 1000 };

bool serial_on;
struct turn turn;
static const ull SHARING_NS = 10000000000;
static uint64_t tickets, preempted;
static ull last_report;

void serial_start(void)
{
    serial_on = true;
    prctl(PR_SET_TIMERSLACK, SLACK_NS, 0, 0, 0);
}

static uint32_t index_of(const struct task *t)
{
    return handler == &replayer ? t->script->index : t->index;
}

static void take_turn(struct task *t)
{
    turn.task = t;
    turn.index = index_of(t);
    turn.since = log_now();
}

void serial_first(struct task *t)
{
    if (serial_on)
        take_turn(t);
}

/* ------------------------------------------------------------------ what others do */

static bool is_in_call(const struct task *t)
{
    return t->state != CALL_NONE;
}

static bool is_anyone_parked(void)
{
    for (struct task *t = tasks; t; t = t->next)
        if (t->alive && t->parked)
            return true;
    return false;
}

struct task *serial_first_parked(void)
{
    struct task *first = NULL;
    for (struct task *t = tasks; t; t = t->next)
        if (t->alive && t->parked && (!first || t->ticket < first->ticket))
            first = t;
    return first;
}

/* ------------------------------------------------------------------ at stops */

/* Instead of resuming it: whether the task has to wait for its turn. */
bool serial_parks(struct task *t, int sig)
{
    bool goes_on = t->restarts || (t == turn.task && !t->returned && !t->preempted);
    t->restarts = false;
    if (!serial_on || is_in_call(t) || goes_on)
        return false;
    t->parked = true;
    t->parked_signal = sig;
    t->ticket = ++tickets;
    return true;
}

/* A replay knows already what comes of a signal that ended the call: when recorded it was not made again. */
static bool ends_by_signal(const struct task *t)
{
    return handler == &replayer && t->matched && t->matched->done && t->matched->record->result == -EINTR;
}

/* A call has come to its end; cut: a signal ended it.  Often another thread has that signal by now, and the call
 * is made again at once: that is no news to wait for a turn with. */
void serial_returned(struct task *t, bool cut)
{
    if (!serial_on)
        return;
    serial_unmutes(t);
    t->cut = t->restarts = cut && !ends_by_signal(t);
    t->cut_passed = turn.passed;
    t->cut_calls = turn.calls;
    if (!t->cut && !t->rewound)
        serial_counted(t);
    t->returned = !t->cut && !t->rewound;
    t->rewound = t->vforking = false;
}

void serial_counted(struct task *t)
{
    t->calls++;
    if (t == turn.task)
        turn.calls = t->calls;
}

void serial_answered(struct task *t)
{
    serial_counted(t);
    t->returned = true;
}

/* Whether it has computed so long without a call that others go first.  Where its memory is its own the
 * place does not matter; else the place cannot be found again, and only a loop that would never end is left. */
static bool is_endless(struct task *t, ull ran)
{
    if (t->space->refs == 1)
        return ran > ALONE_NS;
    if (t->calls != t->used_at) {
        t->used_at = t->calls;
        t->used = task_usage(t).ran;
    }
    return ran > SHARING_NS && task_usage(t).ran - t->used > SHARING_NS;
}

/* It was interrupted for having run long without a call: a loop that only waits gives the
 * turn on there, with its place known; other computation only if it goes on for very long. */
bool serial_interrupted(struct task *t)
{
    bool moved = !t->preempting || t != turn.task || t->calls != t->preempted_at || is_in_call(t)
        || is_cut_short(t);               /* it makes its call again: a single step would lead into that */
    ull ran = log_now() - turn.resumed_at;
    t->restarts |= t->roused;             /* the signal is next */
    t->preempting = t->stepped_out = t->roused = false;
    if (moved)
        return false;
    pid_t tid = t->tid;
    if (handler == &replayer)
        t->preempted = serial_reaches(t, ran);
    else {
        t->spin = spin_length(t, ran < VERY_LONG_NS ? FEW_STEPS : MANY_STEPS);
        t->patience = t->spin ? LOOK_NS : t->patience < LONGEST_NS ? 2 * t->patience : LONGEST_NS;
        t->preempted = t->spin || (!t->stepped_out && is_endless(t, ran));
    }
    ull now = log_now() - turn.resumed_at, rest = LOOKS_COST * (now - ran);
    turn.look_at = now + (rest > t->patience ? rest : t->patience);
    return !task_of(tid) || t->stepped_out;
}

void serial_ended(struct task *t)
{
    if (serial_on && t == turn.task)
        turn.task = NULL;

}

/* ------------------------------------------------------------------ passing the turn */

static void unpark(struct task *t)
{
    t->parked = t->returned = t->preempted = false;
    turn.resumed_at = log_now();
    t->patience = t->patience ? t->patience : LOOK_NS;
    turn.look_at = t->patience;
    turn.calls = t->calls;
    if (handler == &replayer)
        serial_signal_due(t);
    else
        record_release(t);
    if (t->at_entry) {
        t->at_entry = false;
        go_on_entering(t);
    } else
        resume(t, t->parked_signal);
}

static void log_passing(struct task *from, const struct task *to)
{
    static struct bytes b;
    log_begin(&b, EVENT_SWITCH, to->index);
    turn.passed++;
    struct record *r = (struct record *)b.data;
    r->args[0] = turn.index;
    r->args[1] = turn.calls;
    r->args[2] = !from ? PASSED_AT_END : !from->parked ? PASSED_IN_CALL : from->preempted ? PASSED_IN_RUN : PASSED_AT_RETURN;
    if (from && from->preempted) {
        struct user_regs_struct regs = regs_get(from);
        r->args[3] = log_now() - turn.resumed_at;
        r->args[4] = from->spin;
        log_field(&b, FIELD_WHOLE, FIELD_OUT, &regs, sizeof regs);
        preempted += !from->spin && from->space->refs > 1;
    }
    log_end(&b);
}

static struct task *choose(struct task *now)
{
    bool is_over = !now || !now->parked || now->preempted || now->nr == REX_NR_sched_yield
        || log_now() - turn.since > SLICE_NS;
    struct task *next = is_over ? serial_first_parked() : now;
    if (next && next != now)
        log_passing(now, next);
    return next;
}

/* Lets the turn pass if it is time; waited: no report has come for a beat. */
static void pass(bool waited)
{
    struct task *now = turn.task;
    bool is_running = now && !now->parked, is_returned = now && now->parked && now->returned;
    if (is_running && !(waited && (is_in_call(now) || now->listening) && is_asleep(now)))
        return;
    if (!is_quiet_after(is_returned || (is_running && is_in_call(now)) ? now : NULL))
        return;
    if (handler == &replayer && serial_cut())
        return;
    struct task *next = handler == &replayer ? serial_follow(waited) : choose(now);
    if (!next)
        return;
    if (next != turn.task)
        take_turn(next);
    unpark(next);
}

void serial_settle(void)
{
    if (!serial_on)
        return;
    last_report = log_now();
    pass(false);
}

/* No report for a beat. */
void serial_idle(void)
{
    struct task *now = turn.task;
    ull ran = log_now() - turn.resumed_at;
    bool computes = now && !now->parked && !is_in_call(now) && !now->listening;
    bool is_long = ran > turn.look_at && (handler == &replayer ? serial_looks_for_place() : is_anyone_parked());
    if (computes && !now->preempting && is_long) {
        now->preempting = true;
        now->preempted_at = now->calls;
        ptrace(PTRACE_INTERRUPT, now->tid, 0, 0);
    }
    pass(true);
    if (handler == &replayer) {
        replay_end_if_stuck(last_report);
        replay_end_if_still();
    }
}

/* How long to wait for a report before looking around. */
long serial_beat_ns(void)
{
    struct task *now = turn.task;
    ull quiet = log_now() - last_report;
    if (now && !now->parked && !is_in_call(now))
        return quiet > LONG_BEAT_NS ? LONG_BEAT_NS : SHORT_BEAT_NS * 10;
    return quiet < 2000000 ? SHORT_BEAT_NS : LONG_BEAT_NS;
}

ull serial_quiet_ns(void)
{
    return log_now() - last_report;
}

void serial_finish(void)
{
    if (preempted)
        log_note(tasks, "threads that made no system call for long were interrupted %llu times; a replay may differ there",
                 (ull)preempted);
}

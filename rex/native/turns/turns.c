/* One task at a time: who has the turn, and where it passes on.
 *
 * A task runs only while it has the turn; the others wait at a stop, or in the kernel in a
 * call that blocks.  The turn passes as a call returns, blocks or ends its task, and each
 * passing is in the log.  After each call all that it has woken is awaited, so that what the
 * kernel does follows from the order too.  A replay gives a struct turn_order that passes it as the log says. */
#include "base/base.h"
#include "engine/engine.h"
#include "log/log.h"
#include "mode/mode.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"
#include "turns/internal.h"
#include "turns/turns.h"

#include <sys/prctl.h>

enum { SLICE_NS = 5000000, LOOK_NS = 2000000, LONGEST_NS = 64000000, FEW_STEPS = 400, MANY_STEPS = 2000, VERY_LONG_NS = 200000000, ALONE_NS = 1000000000 };
enum { LOOKS_COST = 16 };                 /* a step may take a tenth of a millisecond: so many times what looking took is left alone */
enum { SHORT_BEAT_NS = 30000, LONG_BEAT_NS = 5000000, SLACK_NS = 1000 };

struct turn turn;
static const struct turn_order *order;
static const ull SHARING_NS = 10000000000;
static uint64_t tickets, preempted;
static ull last_report;

static uint32_t index_of(const struct task *t)
{
    return order->index_of ? order->index_of(t) : t->index;
}

static void take_turn(struct task *t)
{
    turn.task = t;
    turn.index = index_of(t);
    turn.since = log_now();
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

struct task *turns_first_parked(void)
{
    struct task *first = NULL;
    for (struct task *t = tasks; t; t = t->next)
        if (t->alive && t->parked && (!first || turn_state(t)->ticket < turn_state(first)->ticket))
            first = t;
    return first;
}

/* ------------------------------------------------------------------ at stops */

/* Instead of resuming it: whether the task has to wait for its turn. */
static bool parks(struct task *t, int sig)
{
    bool goes_on = t->restarts || (t == turn.task && !turn_state(t)->returned && !turn_state(t)->place.preempted);
    t->restarts = false;
    if (is_in_call(t) || goes_on)
        return false;
    t->parked = true;
    turn_state(t)->parked_signal = sig;
    turn_state(t)->ticket = ++tickets;
    return true;
}

/* A call has come to its end; cut: a signal ended it.  Often another thread has that signal by now, and the call
 * is made again at once: that is no news to wait for a turn with. */
static void returned(struct task *t, bool cut)
{
    turns_unmute(t);
    turn_state(t)->place.cut = t->restarts = cut && !(order->ends_by_signal && order->ends_by_signal(t));
    turn_state(t)->place.cut_passed = turn.passed;
    turn_state(t)->place.cut_calls = turn.calls;
    if (!turn_state(t)->place.cut && !t->rewound)
        turns_count(t);
    turn_state(t)->returned = !turn_state(t)->place.cut && !t->rewound;
    t->rewound = t->vforking = false;
}

struct turn_place *turns_place(const struct task *t)
{
    return &turn_state(t)->place;
}

void turns_count(struct task *t)
{
    turn_state(t)->place.calls++;
    if (t == turn.task)
        turn.calls = turn_state(t)->place.calls;
}

static void answered(struct task *t)
{
    turns_count(t);
    turn_state(t)->returned = true;
}

/* The processor time since its first interruption in this turn and after this call: on a busy machine the time of day tells nothing. */
static ull computed(struct task *t)
{
    struct turn_state *s = turn_state(t);
    ull now = task_usage(t).ran;
    if (!s->used || turn_state(t)->place.calls != s->used_at || turn.passed != s->used_in) {
        s->used_at = turn_state(t)->place.calls;
        s->used_in = turn.passed;
        s->used = now;
    }
    return now - s->used;
}

/* Whether it has computed so long without a call that others go first.  Where its memory is its own the
 * place does not matter; else the place cannot be found again, and only a loop that would never end is left. */
static bool is_endless(const struct task *t)
{
    return turn_state(t)->computed > (t->space->refs == 1 ? ALONE_NS : SHARING_NS);
}

/* Whether it is in a loop that only waits, or computes for very long.  False also if it has ended by now. */
static bool is_to_be_preempted(struct task *t, ull ran)
{
    struct turn_state *s = turn_state(t);
    pid_t tid = t->tid;
    unsigned length = spin_length(t, ran < VERY_LONG_NS ? FEW_STEPS : MANY_STEPS);
    if (!task_of(tid))
        return false;
    s->spin = length;
    s->patience = length ? LOOK_NS : s->patience < LONGEST_NS ? 2 * s->patience : LONGEST_NS;
    return length || (!s->place.stepped_out && is_endless(t));
}

/* It was interrupted for having run long without a call: a loop that only waits gives the
 * turn on there, with its place known; other computation only if it goes on for very long. */
static bool interrupted(struct task *t)
{
    struct turn_state *s = turn_state(t);
    bool moved = !s->preempting || t != turn.task || s->place.calls != s->preempted_at || is_in_call(t)
        || is_cut_short(t);               /* it makes its call again: a single step would lead into that */
    ull ran = log_now() - turn.resumed_at;
    t->restarts |= s->roused;             /* the signal is next */
    s->preempting = s->place.stepped_out = s->roused = false;
    if (moved)
        return false;
    pid_t tid = t->tid;
    s->computed = computed(t);
    bool preempted_here = order->reaches ? order->reaches(t, s->computed) : is_to_be_preempted(t, ran);
    if (!task_of(tid))                    /* a step has led to its end */
        return true;
    s->place.preempted = preempted_here;
    ull now = log_now() - turn.resumed_at, rest = LOOKS_COST * (now - ran);
    turn.look_at = now + (rest > s->patience ? rest : s->patience);
    return s->place.stepped_out;
}

static void ended(struct task *t)
{
    if (t == turn.task)
        turn.task = NULL;
}

/* ------------------------------------------------------------------ passing the turn */

static void unpark(struct task *t)
{
    t->parked = turn_state(t)->returned = turn_state(t)->place.preempted = false;
    turn.resumed_at = log_now();
    turn_state(t)->patience = turn_state(t)->patience ? turn_state(t)->patience : LOOK_NS;
    turn.look_at = turn_state(t)->patience;
    turn.calls = turn_state(t)->place.calls;
    order->given(t);
    if (turn_state(t)->place.at_entry) {
        turn_state(t)->place.at_entry = false;
        go_on_entering(t);
    } else
        resume(t, turn_state(t)->parked_signal);
}

static void log_passing(struct task *from, const struct task *to)
{
    static struct bytes b;
    log_begin(&b, EVENT_SWITCH, to->index);
    turn.passed++;
    struct record *r = (struct record *)b.data;
    r->args[0] = turn.index;
    r->args[1] = turn.calls;
    r->args[2] = !from ? PASSED_AT_END : !from->parked ? PASSED_IN_CALL : turn_state(from)->place.preempted ? PASSED_IN_RUN : PASSED_AT_RETURN;
    if (from && turn_state(from)->place.preempted) {
        struct user_regs_struct regs = regs_get(from);
        r->args[3] = turn_state(from)->computed;
        r->args[4] = turn_state(from)->spin;
        log_field(&b, FIELD_WHOLE, FIELD_OUT, &regs, sizeof regs);
        preempted += !turn_state(from)->spin && from->space->refs > 1;
    }
    log_end(&b);
}

static struct task *choose(struct task *now)
{
    bool is_over = !now || !now->parked || turn_state(now)->place.preempted || now->nr == REX_NR_sched_yield
        || log_now() - turn.since > SLICE_NS;
    struct task *next = is_over ? turns_first_parked() : now;
    if (next && next != now)
        log_passing(now, next);
    return next;
}

/* Lets the turn pass if it is time; waited: no report has come for a beat. */
static void pass(bool waited)
{
    struct task *now = turn.task;
    bool is_running = now && !now->parked, is_returned = now && now->parked && turn_state(now)->returned;
    if (is_running && !(waited && (is_in_call(now) || now->listening) && is_asleep(now)))
        return;
    if (!is_quiet_after(is_returned || (is_running && is_in_call(now)) ? now : NULL))
        return;
    if (order->cuts && order->cuts())
        return;
    struct task *next = order->next ? order->next(waited) : choose(now);
    if (!next)
        return;
    if (next != turn.task)
        take_turn(next);
    unpark(next);
}

static void settle(void)
{
    last_report = log_now();
    pass(false);
}

/* No report for a beat. */
static void idle(void)
{
    struct task *now = turn.task;
    ull ran = log_now() - turn.resumed_at;
    bool computes = now && !now->parked && !is_in_call(now) && !now->listening;
    bool is_long = ran > turn.look_at && (order->looks_for_place ? order->looks_for_place() : is_anyone_parked());
    if (computes && !turn_state(now)->preempting && is_long) {
        turn_state(now)->preempting = true;
        turn_state(now)->preempted_at = turn_state(now)->place.calls;
        ptrace(PTRACE_INTERRUPT, now->tid, 0, 0);
    }
    pass(true);
    if (order->idle)
        order->idle(last_report);
}

/* How long to wait for a report before looking around. */
static long beat_ns(void)
{
    struct task *now = turn.task;
    ull quiet = log_now() - last_report;
    if (now && !now->parked && !is_in_call(now))
        return quiet > LONG_BEAT_NS ? LONG_BEAT_NS : SHORT_BEAT_NS * 10;
    return quiet < 2000000 ? SHORT_BEAT_NS : LONG_BEAT_NS;
}

ull turns_quiet_ns(void)
{
    return log_now() - last_report;
}

void turns_finish(void)
{
    if (preempted)
        log_note(tasks ? tasks->index : 0, "threads that made no system call for long were interrupted %llu times; a replay may differ there",
                 (ull)preempted);
}

static bool holds(struct task *t)
{
    return order->holds && order->holds(t);
}

static const struct scheduler turns = {
    .first = take_turn, .holds = holds, .entered = turns_mute, .returned = returned, .answered = answered, .interrupted = interrupted,
    .parks = parks, .settle = settle, .idle = idle, .beat_ns = beat_ns,
};

const struct observer turns_observer = {.ended = ended};

void turns_start(const struct turn_order *who_is_next)
{
    order = who_is_next;
    scheduler = &turns;
    prctl(PR_SET_TIMERSLACK, SLACK_NS, 0, 0, 0);
}

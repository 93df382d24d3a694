/* Replay: waits that end at a point in time: of timed futexes, and sleeps until then. */
#include "base/base.h"
#include "log/log.h"
#include "replay/clock/clock.h"
#include "replay/index/index.h"
#include "replay/ipc/ipc.h"
#include "replay/progress/delays.h"
#include "replay/progress/progress.h"
#include "replay/rules/rules.h"
#include "replay/send/send.h"
#include "replay/wait/internal.h"
#include "replay/wait/wait.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <linux/futex.h>
#include <time.h>

enum { PARTS = 4 };                      /* of a wait that goes on */

/* When the wait is over, in the log's time, for replay/skip_timeouts.c.  True: another thread woke it, as what the thread did next came before
 * the limit. */
static bool reckon_end(struct task *t, uint64_t read_at, uint64_t left, uint64_t deadline)
{
    const uint64_t after_all = 1ULL << 62;
    const struct event *next = read_at ? replay_ahead_of(t) : NULL;
    bool is_early = next && next->record->time < read_at + left;
    replay_wait_end(t)->is_logged = read_at && !(is_early && replay_is_signal(next)) && !replay_lends(t);
    replay_wait_end(t)->at = is_early ? next->record->time : read_at ? read_at + left : deadline > replay_clock_began() ? deadline - replay_clock_began() : after_all + left;
    return is_early;
}

static uint64_t last_reading(const struct task *t, clockid_t clock)
{
    const struct last_readings *last = replay_last_readings(t);
    return clock == CLOCK_MONOTONIC ? last->clock : clock == CLOCK_REALTIME ? last->wall : 0;
}

/* How long the thread wants to sleep, and until when if that is how it says so, ns.  False: that is not known. */
static bool sleep_of(struct task *t, uint64_t *length, uint64_t *until)
{
    struct timespec ts;
    if (call_of(t->nr)->hook != REX_HOOK_SLEEP)
        return false;
    bool is_until = arg_of(t->nr, REX_WORD_CLOCK) >= 0 && t->args[1] & TIMER_ABSTIME;
    uint64_t reading = is_until ? last_reading(t, (clockid_t)t->args[0]) : 0;
    if ((is_until && !reading) || !mem_read(t->tid, t->args[arg_of(t->nr, REX_WORD_TIMESPEC)], &ts, sizeof ts)
        || ts.tv_sec < 0 || ts.tv_sec > UINT32_MAX)
        return false;
    uint64_t ns = (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
    *until = is_until ? ns : 0;
    *length = ns > reading ? ns - reading : 0;
    return true;
}

/* Sleeps shorter than WOKEN_NS are turns that are given up. */
bool replay_sleep_is_over(struct task *t)
{
    uint64_t length, until, passed = log_now() - t->last_stop;
    return passed > WOKEN_NS && sleep_of(t, &length, &until) && passed / (2 * SLOWER) > length;
}

/* A sleep until a point in time, as far ahead as the program reckons.  False: the call is made again. */
bool replay_sleep_until(struct task *t)
{
    uint64_t left, deadline;
    clockid_t clock = (clockid_t)t->args[0];
    if (!sleep_of(t, &left, &deadline) || !deadline)
        return true;
    if (!scratch_ready(t))
        return false;
    left += clock_ns(clock);
    struct timespec until = (struct timespec){(time_t)(left / 1000000000u), (long)(left % 1000000000u)};
    if (clock == CLOCK_MONOTONIC && !replay_clock_limits(t))
        replay_clock_passed(t, deadline);
    struct user_regs_struct r = t->regs;
    r.rdx = scratch_put(t, &until, sizeof until);
    regs_set(t, &r);
    t->want_exit = true;
    return true;
}

/* The program computes with the clock that it has read; the kernel waits by its own.  False: the call is made again. */
static bool reckon_limit(struct task *t)
{
    bool by_wall = replay_waits_by_wall(t);
    const struct last_readings *last = replay_last_readings(t);
    uint64_t reading = by_wall ? last->wall : last->clock, read_at = by_wall ? last->wall_at : last->clock_at, deadline;
    struct timespec until;
    unsigned what = t->args[1] & 0x7f;
    bool is_until = (what == FUTEX_WAIT_BITSET || what == FUTEX_LOCK_PI || what == FUTEX_LOCK_PI2) && t->args[3];
    if (!is_until || !mem_read(t->tid, t->args[3], &until, sizeof until))
        return true;
    if (reading && !scratch_ready(t))
        return false;
    deadline = (uint64_t)until.tv_sec * 1000000000u + (uint64_t)until.tv_nsec;
    uint64_t now = clock_ns(by_wall ? CLOCK_REALTIME : CLOCK_MONOTONIC), from = reading ? reading : now, left = deadline > from ? deadline - from : 0;
    bool is_limit = replay_clock_limits(t);
    wait_state(t)->lasts = is_limit && !by_wall ? left : 0;
    replay_wait_end(t)->deadline = is_limit || by_wall || !reading ? 0 : deadline;
    if (reckon_end(t, read_at, left, by_wall || !reading ? 0 : deadline))
        left = SLOWER * left + BUSY_NS;   /* so it is here, though we may be slower */
    t->want_exit = true;
    if (!reading)
        return true;                      /* by the kernel's clock, which the program has read */
    left = (wait_state(t)->waits_on ? left / PARTS : left) + now;
    until = (struct timespec){(time_t)(left / 1000000000u), (long)(left % 1000000000u)};
    struct user_regs_struct r = t->regs;
    r.r10 = scratch_put(t, &until, sizeof until);
    regs_set(t, &r);
    return true;
}

/* How far those have come, all in all, that are yet to do what the log has before e; 0: there are none, or none that moves. */
static uint64_t others_at(const struct task *t, const struct event *e)
{
    uint64_t at = 0;
    bool moves = false;
    for (struct task *other = tasks; other; other = other->next) {
        if (!other->alive || other == t)
            continue;
        bool is_busy = replay_mover(other, NULL) == ITSELF;
        const struct event *next = is_busy ? replay_ahead_of(other) : replay_next_move(other);
        at += next && next->number < e->number ? 1 + replay_place(other) : 0;
        moves |= is_busy;
    }
    return moves ? at : 0;
}

/* The wait ran out, as it had before e when recorded: but by that time others had done more, which are slower here.  It goes on, for
 * as long as they get on, or for some times as long as it was. */
static bool goes_on(struct task *t, const struct event *e, unsigned most)
{
    uint64_t at = e ? others_at(t, e) : 0;
    wait_state(t)->waits_on = wait_state(t)->waits_at == at ? wait_state(t)->waits_on : 0;
    wait_state(t)->waits_at = at;
    if (!at || wait_state(t)->waits_on >= most)
        return false;
    wait_state(t)->waits_on++;
    rewind_call(t);
    return true;
}

bool replay_sleeps_longer(struct task *t, int64_t result)
{
    uint64_t length, until;
    bool is_over = !result && t->matched && !t->matched->record->result && !t->matched->done && call_of(t->nr)->hook == REX_HOOK_SLEEP;
    return is_over && sleep_of(t, &length, &until) && length >= WOKEN_NS && goes_on(t, t->matched, SLOWER - 1);
}

void replay_until(struct task *t)
{
    if (reckon_limit(t) && replay_lends(t))
        replay_lend(t);
}

void replay_until_exit(struct task *t, int64_t result)
{
    if (replay_lends(t) && !replay_lend_exit(t, &result))
        return;
    if (t->matched && result > -512) {    /* woken, or found to be needless: timing decides which */
        replay_done(t->matched);
        give_result(t, t->matched->record->result);
        return;
    }
    const struct event *next = result == -ETIMEDOUT && replay_wait_end(t)->is_logged ? replay_ahead_of(t) : NULL;
    if (next && next->record->time >= replay_wait_end(t)->at && goes_on(t, next, PARTS * (SLOWER - 1)))
        return;
    wait_state(t)->waits_on = 0;
    t->only_waits = result == -ETIMEDOUT;  /* a lock that it tries again and again (Python's) */
    if (result == -ETIMEDOUT) {
        replay_clock_passed(t, replay_wait_end(t)->deadline);
        replay_clock_waited(t, wait_state(t)->lasts);
    }
    if (result > -512)
        give_result(t, result);
}

void replay_timed_futex(struct task *t)
{
    bool lends = replay_lends(t);
    if (lends && replay_lend_begins(t))
        return;
    if (is_timed_futex(t)) {
        struct event *e = replay_match(t, t->nr, call_key(call_of(t->nr), t->nr, NULL, 0, t->args));
        if (e && (e->record->result == -ETIMEDOUT || e->record->result == -EINTR)) {
            replay_emulate(t, e);
            return;
        }
        struct user_regs_struct r = t->regs;
        r.r10 = 0;
        regs_set(t, &r);
        t->want_exit = true;
        t->matched = e;                   /* NULL: it did not return; done once it returns, for it may be made again */
    }
    if (lends)
        replay_lend(t);
    if (lends && t->matched && !t->want_exit)
        replay_done(t->matched);
}

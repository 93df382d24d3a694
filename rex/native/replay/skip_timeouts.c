/* Replay: skip timeouts.  If every task is blocked, by others, its turn or a timeout, the wait that ended first in the recording ends at once.
 *
 * Only a task that moves could end it earlier, and none does.  Such waits are those of threads that hand each other work under
 * locks.  What came in two parts when recorded may come in one here, so that a thread that was woken twice waits for ever.  A thread that is held
 * until another has written may have the lock that the other waits for. */
#include "base/base.h"
#include "log/log.h"
#include "mode/mode.h"
#include "replay/index/index.h"
#include "replay/order/order.h"
#include "replay/progress/delays.h"
#include "replay/progress/progress.h"
#include "replay/replay.h"
#include "replay/signals/signals.h"
#include "replay/wait/wait.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

ull replay_forced;                       /* how often an order could not be kept */

static ull gap = QUIET_NS;             /* between looks */

/* It waits for a point in time, which is known. */
static bool may_end(const struct task *t)
{
    return t->alive && replay_wait_end(t)->at && t->state == CALL_ENTERED && t->want_exit && !t->wait_ended;
}

static bool any_waits(void)
{
    for (struct task *t = tasks; t && !is_serialized(); t = t->next)
        if (may_end(t) || (t->alive && t->held))
            return true;
    return false;
}

/* Whether to look often, as it may soon be found that nobody moves. */
bool replay_any_sooner(void)
{
    return gap < SELDOM_NS && any_waits();
}

/* Nothing else can move: the order that the task is held for cannot be kept. */
void replay_force(struct task *t)
{
    replay_forced++;
    t->held = false;
    regime_gives_up_order(t);
    replay_order_give_up(t, t->matched);
    replay_call(t, call_of(t->nr), t->matched);
    if (!t->held)
        resume(t, 0);
}

/* When it goes on by itself, or did what it is held for, in the log's time; UINT64_MAX: never; 0: that is not known. */
static uint64_t goes_on_at(struct task *t)
{
    if (replay_next_signal(t, true))
        return 0;
    if (t->held && t->matched)
        return t->matched->record->time;
    if (may_end(t) && replay_state(t) == 'S')
        return replay_wait_end(t)->at;
    if (replay_waits_for_siblings(t))
        return UINT64_MAX;
    const struct event *next = replay_ahead_of(t);
    return replay_mover(t, NULL) != NOBODY ? 0 : next ? next->record->time : UINT64_MAX;
}

/* NULL: one may go on at any time.  *ran: for how long all have had a processor, ns. */
static struct task *first_to_go(ull *ran)
{
    struct task *first = NULL;
    uint64_t least = UINT64_MAX, at;
    for (struct task *t = tasks; t; t = t->next) {
        if (!t->alive)
            continue;
        *ran += task_usage(t).ran;
        if (!(at = goes_on_at(t)))
            return NULL;
        first = at < least ? t : first;
        least = at < least ? at : least;
    }
    return first;
}

/* A wait that the log does not have ends once nothing has happened for a while. */
static void go_on(struct task *t)
{
    if (t->held)
        replay_force(t);
    else if (may_end(t) && (replay_wait_end(t)->is_logged || replay_still_for() > UNLOGGED_NS)) {
        replay_wait_end(t)->has_come = true;
        replay_interrupt_wait(t);
    }
}

/* Looks twice: who was woken as we looked has had a processor by the second time. */
void replay_sooner_settle(void)
{
    static ull looked_at;
    ull now = log_now(), ran = 0;
    if (now - looked_at < gap || !any_waits())
        return;
    for (struct task *t = tasks; t; t = t->next)
        if (t->alive && now - t->last_stop < QUIET_NS)
            return;
    looked_at = now;
    struct task *first = first_to_go(&ran);
    gap = first ? QUIET_NS : gap < SELDOM_NS ? 2 * gap : SELDOM_NS;      /* who computes may do so for long */
    if (!replay_ran_more(ran) && first)
        go_on(first);
}

/* Of a call that was interrupted as its time is over. */
int64_t replay_sooner_result(struct task *t, int64_t result)
{
    struct wait_end *end = replay_wait_end(t);
    if (!end->at || !end->has_come)
        return result;
    end->has_come = false;
    if (!is_interrupted(result) && result != -EINTR)
        return result;                    /* it has ended otherwise meanwhile */
    result = t->nr == REX_NR_futex ? -ETIMEDOUT : 0;
    replay_wait_spent(t);
    give_result(t, result);
    return result;
}

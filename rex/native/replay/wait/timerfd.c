/* Replay of threads that a timer's descriptor wakes (the ticker of a runtime).  How often it has done so before
 * another thread ends them depends on their timing.  They get its time as often as they read it. */
#include "base/base.h"
#include "log/log.h"
#include "replay/index/index.h"
#include "replay/match/match.h"
#include "replay/progress/delays.h"
#include "replay/wait/internal.h"
#include "replay/wait/wait.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <time.h>

enum { TICK_BYTES = 8 };

static bool is_timer(uint32_t stream)
{
    static uint32_t known;                /* the last that was found to be one */
    for (size_t i = 0; known != stream && i < event_count; i++)
        if (events[i].record->call == REX_NR_timerfd_create && events[i].record->stream == stream)
            known = stream;
    return known == stream;
}

static void ticked(struct task *t, int64_t result)
{
    (void)result;
    wait_state(t)->ticked = true;
}

/* It is set once more than when recorded, by a thread whose loop has run once more. */
static bool sets_again(struct task *t)
{
    static const struct itimerspec none;
    if (t->nr != REX_NR_timerfd_settime || !has_shared_work(t) || !is_timer(t->stream))
        return false;
    if (t->args[3])
        mem_write(t->tid, t->args[3], &none, sizeof none);
    skip_call(t, 0);
    return true;
}

/* A read of a timer that the log has no more of.  Of a thread whose process ended meanwhile it did not return. */
bool replay_ticks(struct task *t)
{
    const uint64_t sleep_args[6] = {0, 0, TICK_PAUSE_MS}, times = 1;
    if (sets_again(t))
        return true;
    if (t->nr != REX_NR_read || !t->stream || !has_shared_work(t) || replay_was_cut_off(t) || t->args[2] < TICK_BYTES
        || !is_timer(t->stream))
        return false;
    t->only_waits = true;
    if (!wait_state(t)->ticked) {
        insert_call(t, REX_NR_poll, sleep_args, ticked);
        return true;
    }
    wait_state(t)->ticked = false;
    mem_write(t->tid, t->args[1], &times, sizeof times);
    skip_call(t, TICK_BYTES);
    return true;
}

/* Clocks that wake the machine need a right; the log has when the timer rang. */
void replay_timerfd_plain(struct task *t)
{
    struct user_regs_struct r = t->regs;
    if ((clockid_t)r.rdi != CLOCK_REALTIME_ALARM && (clockid_t)r.rdi != CLOCK_BOOTTIME_ALARM)
        return;
    r.rdi = (clockid_t)r.rdi == CLOCK_REALTIME_ALARM ? CLOCK_REALTIME : CLOCK_BOOTTIME;
    regs_set(t, &r);
}

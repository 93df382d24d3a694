/* Replay: signals that come during computation, long before the thread's next call.
 *
 * The log cannot name the point, and the time until then depends on the machine.  The effect of the handler (it counts,
 * or sets a flag of a loop) shows by the next call at the latest.  So the signal may come too early, but not too late, and no
 * earlier than its handler is set. */
#include "base/base.h"
#include "log/log.h"
#include "mode/mode.h"
#include "replay/index/index.h"
#include "replay/progress/delays.h"
#include "replay/progress/progress.h"
#include "replay/send/send.h"
#include "replay/signals/internal.h"
#include "replay/signals/signals.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <sys/wait.h>

/* When it began to compute: signals before this one came as it did. */
static ull computing_since(const struct task_log *s)
{
    size_t at = s->cursor;
    while (at && s->event[at - 1]->record->call == EVENT_SIGNAL && s->event[at - 1]->record->args[2] == BETWEEN_CALLS)
        at--;
    return replay_time_before(s, at);
}

/* A signal between threads of a process comes by what the sender knows of the receiver, not in mid-computation. */
static bool is_in_computation(const struct task *t, const struct event *e)
{
    const struct task_log *sender = replay_sender_of(e);
    return !is_serialized() && e->record->args[2] == BETWEEN_CALLS && !e->record->args[1] && !(sender && replay_is_sibling(t, sender))
        && e->record->time > computing_since(t->task_log) + DEFERRED_NS;
}

static bool kills_by_default(int sig)
{
    switch (sig) {
    case SIGCHLD: case SIGURG: case SIGWINCH: case SIGCONT: case SIGSTOP: case SIGTSTP: case SIGTTIN: case SIGTTOU:
        return false;
    }
    return true;
}

/* When recorded the process lived on: its handler, which it sets by a call that is not in the log, is yet to come. */
static bool awaits_handler(const struct task *t, const struct event *e)
{
    int sig = (int)e->record->args[0];
    const struct event *exit = t->leader->task_log ? t->leader->task_log->exit : NULL;
    bool killed = exit && WIFSIGNALED((int)exit->record->result) && WTERMSIG((int)exit->record->result) == sig;
    return kills_by_default(sig) && !killed && !is_caught(t->tid, sig);
}

bool replay_computes_until(struct task *t, const struct event *e)
{
    return is_in_computation(t, e) && log_now() - t->last_stop >= QUIET_NS && task_state(t) == 'R' && !awaits_handler(t, e);
}

bool replay_any_computes(void)
{
    for (struct task *t = tasks; t; t = t->next) {
        const struct event *e = t->alive && !t->held && t->task_log && t->task_log->birth ? replay_next_signal(t, false) : NULL;
        if (e && t->injected != e && is_in_computation(t, e))
            return true;
    }
    return false;
}

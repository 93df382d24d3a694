/* replay/signals: what its files share with each other only. */
#ifndef REX_REPLAY_SIGNALS_INTERNAL_H
#define REX_REPLAY_SIGNALS_INTERNAL_H

#include "base/base.h"
#include "tracee/task.h"

struct event;
struct task;
/* The state that this module keeps for each task. */
struct signal_state {
    struct event *owed[65];              /* signals that were blocked when sent */
    uint64_t extra_wakeups;              /* a bit for each that another thread sends once more than when recorded */
    struct event *let_in;                /* one that is blocked again once it was handled */
    uint64_t let_in_sp;                  /* the stack below which that happens */
    struct { const struct event *event; uint32_t count; } took;      /* signals of what this event is of, see sigwait.c */
    bool suspended;                      /* by a sibling thread, until it lets it go on: see gc_suspend.c */
};

static inline struct signal_state *signal_state(const struct task *t)
{
    return module_state(t, SIGNALS_STATE, sizeof(struct signal_state));
}

/* delivery_point.c */
bool replay_comes_by_itself(const struct event *e);
bool replay_is_too_early(struct task *t, const struct event *e);
bool replay_passed_place(struct task *t, struct event *e);  /* where that signal came: whether to wait for it */

/* gc_suspend.c */
bool replay_suspend_signal(struct task *t, siginfo_t *info);

/* in_computation.c */
bool replay_computes_until(struct task *t, const struct event *e);  /* it computes, and a signal is to come there */

/* thread_wakeups.c */
bool replay_was_woken(struct task *t, int sig);
struct task *replay_sibling_named(const struct task *t, uint32_t tid);  /* NULL: it has ended by now, or not begun */

#endif

/* replay/signals: what its files share with each other only. */
#ifndef REX_REPLAY_SIGNALS_INTERNAL_H
#define REX_REPLAY_SIGNALS_INTERNAL_H

#include "base/base.h"

struct event;
struct task;

/* delivery_point.c */
bool replay_comes_by_itself(const struct event *e);
bool replay_is_too_early(struct task *t, const struct event *e);
bool replay_passed_place(struct task *t, struct event *e);  /* where that signal came: whether to wait for it */
bool replay_send_overdue(const struct task *earliest);  /* NULL: nobody is held */

/* gc_suspend.c */
bool replay_suspend_signal(struct task *t, siginfo_t *info);

/* in_computation.c */
bool replay_computes_until(struct task *t, const struct event *e);  /* it is in the midst of computation, where a signal is to come */

/* internal_signals.c */
bool replay_inside_signal(struct task *t, siginfo_t *info);

/* signals.c */
bool replay_is_killed_later(struct task *t, const struct event *e);

/* thread_wakeups.c */
bool replay_was_prodded(struct task *t, int sig);
struct task *replay_mate_named(const struct task *t, uint32_t tid);  /* NULL: it has ended by now, or not begun */

#endif

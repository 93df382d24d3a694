/* replay/signals: where each recorded signal is delivered.
 * Also SIGKILL, sigwait, signals by which threads wake or suspend each other. */
#ifndef REX_REPLAY_SIGNALS_SIGNALS_H
#define REX_REPLAY_SIGNALS_SIGNALS_H

#include "base/base.h"

struct event;
struct field;
struct record;
struct task_log;
struct task;

/* among_turns.c */
bool replay_is_signal_at(struct task *t, bool inside, uint64_t passed);    /* its next one comes here: in its call, or after it, by so many turns */
bool turns_is_cut(struct task *t);  /* the call that begins was interrupted when recorded */

/* delivery_point.c */
bool replay_send_overdue(const struct task *earliest);  /* NULL: nobody is held */
bool replay_sleeps_over(struct task *t, const struct event *e);
bool replay_send_left(void);
void replay_interrupts(struct task *t);
bool replay_sleep_continues(struct task *t, const struct event *e);
bool replay_awaits_call(struct task *t);
void replay_block(struct task *t);
bool replay_finds_place(struct task *t), replay_waits_past_place(struct task *t, struct event *e);

/* gc_suspend.c */
void replay_suspend_start(void);  /* see replay/signals/gc_suspend.c */
bool replay_suspends(struct task *t);

/* in_computation.c */
bool replay_any_computes(void);

/* sigkill.c */
bool replay_is_doomed(struct task *t);  /* see replay/signals/sigkill.c */
bool replay_was_killed(const struct task *t);
bool replay_has_run_until_kill(struct task *t);
bool replay_kill_due(struct task *t);  /* then it was */

/* signals.c */
bool replay_is_signal_due(struct task *t, struct event *e, bool all_sleep);
bool replay_ends_by_signal(struct task *t);
bool replay_is_signal_later(struct task *t, struct event *next);  /* the task goes no further before */
void replay_send_to_blocked(struct task *t);
bool replay_signal(struct task *t, int sig);
void replay_signal_is_blocked(struct task *t);  /* the one on its way */
struct event *replay_next_signal(struct task *t, bool nothing_moves);

/* sigwait.c */
bool replay_sigwait_is_early(const struct task *t, const struct event *e);  /* see replay/signals/sigwait.c */
bool replay_sigwait_takes(struct task *t, const struct event *e);

/* thread_wakeups.c */
bool replay_awaits_wakeup(const struct task *t);  /* such a signal */
bool replay_wakes_thread(struct task *t);  /* a signal from thread to thread, once more than recorded */

#endif

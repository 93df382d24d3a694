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

/* delivery_point.c */
bool replay_sleeps_over(struct task *t, const struct event *e);
bool replay_send_left(void);
void replay_interrupts(struct task *t);
bool replay_sleeps_there(struct task *t, const struct event *e);
bool replay_sleep_continues(struct task *t, const struct event *e);
bool replay_awaits_call(struct task *t);
void replay_block(struct task *t);
bool replay_finds_place(struct task *t), replay_waits_past_place(struct task *t, struct event *e);

/* gc_suspend.c */
void replay_suspend_start(void);  /* see replay/signals/gc_suspend.c */
bool replay_suspends(struct task *t);

/* in_computation.c */
bool replay_any_computes(void);

/* internal_signals.c */
int64_t replay_inside_broken(struct task *t);  /* who is spoken to has gone */
/* Signals between such processes: see replay/signals/internal_signals.c. */
void replay_inside_signals_start(void);
bool replay_inside_kill(struct task *t);  /* true: it runs */

/* sigkill.c */
bool replay_is_doomed(struct task *t);  /* see replay/signals/sigkill.c */
bool replay_was_killed(const struct task *t);
bool replay_has_run_until_kill(struct task *t);
bool replay_kill_due(struct task *t);  /* then it was */

/* signals.c */
bool replay_ends_later(struct task *t, const struct event *e);
struct event *replay_ender(struct task *t, const struct event *e);
bool replay_ends_by_signal(struct task *t);
bool replay_ends_too_early(const struct task *t, const struct event *e);
bool replay_was_sent(struct task *t, const struct field *f);    /* a signal, by the facts that the log has of it */
struct event *replay_event_after(struct task *t, const struct event *e);    /* in the log of its task; itself, if it stands for more calls than the next */
void replay_arrived(struct task *t, int sig);
siginfo_t replay_siginfo(const struct record *r);  /* of a signal: the log was checked as it was loaded */
bool replay_is_signal(const struct event *e);  /* one that nothing in the task itself causes */
struct task_log *replay_sender(const siginfo_t *info);
void replay_send_now(struct task *t, struct event *e);
bool replay_is_signal_later(struct task *t, struct event *next);  /* the task goes no further before */
void replay_send_to_blocked(struct task *t);
void replay_send_with(struct task *t, struct event *e);
void replay_send_limit(struct task *t, const struct event *e);
bool replay_signal(struct task *t, int sig);
void replay_signal_is_blocked(struct task *t);  /* the one on its way */
bool replay_is_sent(struct task *t, const struct event *e);
struct task_log *replay_sender_of(const struct event *e);  /* of a signal; NULL: from outside */
void replay_idle(void);
void replay_sent(struct task *t);  /* a call of the kill family was answered */
struct event *replay_next_signal(struct task *t, bool nothing_moves);
bool replay_send(struct task *t, struct event *e);  /* the signal that the log has next after e */

/* sigwait.c */
bool replay_sigwait_is_early(const struct task *t, const struct event *e);  /* see replay/signals/sigwait.c */
bool replay_sigwait_takes(struct task *t, const struct event *e);

/* thread_wakeups.c */
bool replay_awaits_wakeup(const struct task *t);  /* such a signal */
bool replay_wakes_thread(struct task *t);  /* a signal from thread to thread, once more than recorded */

#endif

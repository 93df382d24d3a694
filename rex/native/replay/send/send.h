/* replay/send: a recorded signal is sent to its task.
 * Whether its sender has sent it by now; where it comes with a call, it is sent with the answer. */
#ifndef REX_REPLAY_SEND_SEND_H
#define REX_REPLAY_SEND_SEND_H

#include "base/base.h"

struct event;
struct field;
struct task_log;
struct task;

/* send.c */
bool replay_is_killed_later(struct task *t, const struct event *e);
struct task_log *replay_sender(const siginfo_t *info);
bool replay_was_sent(struct task *t, const struct field *f);    /* a signal, by the facts that the log has of it */
struct task_log *replay_sender_of(const struct event *e);  /* of a signal; NULL: from outside */
bool replay_ends_too_early(const struct task *t, const struct event *e);
bool replay_is_sent(struct task *t, const struct event *e);
void replay_sent(struct task *t);  /* a call of the kill family was answered */
void replay_arrived(struct task *t, int sig);
struct event *replay_ender(struct task *t, const struct event *e);
bool replay_ends_later(struct task *t, const struct event *e);
struct event *replay_signal_left(const struct task *t, int sig);  /* the first that the task is yet to have; NULL: none */
void replay_send_now(struct task *t, struct event *e);
void replay_send_with(struct task *t, struct event *e);
void replay_send_limit(struct task *t, const struct event *e);
bool replay_send(struct task *t, struct event *e);  /* the signal that the log has next after e */
bool turns_is_early(const struct task *t, const struct event *e);  /* the kernel reports a signal sooner than the log has it */

#endif

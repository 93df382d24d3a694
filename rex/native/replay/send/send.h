/* replay/send: what the log has reaches its task.
 * A recorded result, with the signals that came with it; and other signals, once their senders have sent them. */
#ifndef REX_REPLAY_SEND_SEND_H
#define REX_REPLAY_SEND_SEND_H

#include "base/base.h"

struct event;
struct field;
struct task_log;
struct task;

/* send.c */
bool replay_came_in_call(const struct event *e, long nr);  /* the signal interrupted that call, or came before it */
bool replay_sleeps_there(struct task *t, const struct event *e);
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

/* emulate.c */
/* What higher modules do with a recorded result: replay/replay.c names them. */
struct answer_steps {
    void (*outputs_put)(struct task *t, const struct event *e);      /* its outputs are in the task's memory */
    void (*answered)(struct task *t, struct event *e);               /* the task has it */
};
extern const struct answer_steps answer_steps;
void replay_emulate(struct task *t, struct event *e);
void replay_answered(struct task *t, struct event *e);  /* what later calls reckon with */

#endif

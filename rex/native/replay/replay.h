/* replay: log in, answers out.
 * replay.c takes each stop, match/ finds the logged event, answer.c performs it.  Each sub-folder is one concern. */
#ifndef REX_REPLAY_REPLAY_H
#define REX_REPLAY_REPLAY_H

#include "base/base.h"
#include "replay/progress/progress.h"

struct mode;
struct event;
struct record;
struct request;
struct rex_call;
struct task_log;
struct task;
struct turn_order;

/* answer.c */
void replay_call(struct task *t, const struct rex_call *c, struct event *e);
void replay_call_exit(struct task *t, const struct rex_call *c, struct event *e, int64_t result);
void replay_unmatched(struct task *t, const struct rex_call *c);

/* fill_ring.c */
void replay_taken(struct task *t, const unsigned char *records, uint32_t n);
void replay_ready(struct task *t);
void replay_note_opens(struct task *t);
size_t replay_place_by_ring(struct task *t);

/* follow_turns.c */
extern const struct turn_order logged_turns;

/* replay.c */
extern const struct mode replayer;
void replay_stop(int status) __attribute__((noreturn));  /* all that was wanted has happened, or can */
void replay_emulate(struct task *t, struct event *e);
void replay_answered(struct task *t, struct event *e);  /* what later calls reckon with */
void replay_perform(struct task *t);                 /* its matched event happens, or is held */

/* unlogged_rules.c */
void replay_without_event(struct request *q);
bool replay_waits_for_kill(struct task *t);

/* workflow_steps.c */
void replay_steps_start(void);
bool replay_is_step(const struct task_log *s);
bool replay_step_skipped(struct task *t);  /* queries whether the step that t begins is to run */
void replay_step_ended(struct task *t, const struct task_log *step);    /* t was the last task of it */

#endif

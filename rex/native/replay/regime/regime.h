/* replay/regime: whether one thread of a process is active alone.
 * Then its events come in the order of the log. */
#ifndef REX_REPLAY_REGIME_REGIME_H
#define REX_REPLAY_REGIME_REGIME_H

#include "base/base.h"

struct event;
struct task_log;
struct task;

/* one_active_thread.c */
bool replay_is_alone(struct task *t, const struct event *e);  /* see replay/regime/one_active_thread.c */
int64_t replay_alone_child(struct task *t, const struct event *e);
bool replay_alone_waits(struct task *t, const struct event *e);
bool replay_alone_awaits(struct task *t, const struct event *signal);
const struct event *replay_alone_side_effect(struct task *t, uint64_t *reached);  /* what it does next; NULL: it does not go alone */
struct event *replay_alone_next(struct task *t);
bool replay_alone_is_later(const struct task *t, const struct event *e);
bool replay_alone_cut_off(struct task *t);
uint32_t replay_alone_until(const struct task *t);
bool replay_alone_precedes(struct task *t, const struct event *e);
void replay_alone_handles(struct task *t, const struct event *e);
bool replay_alone_listens(void);

/* one_thread_ever.c */
bool replay_is_sole(const struct task_log *own);  /* the other threads of its process only wait, see replay/regime/one_thread_ever.c */

#endif

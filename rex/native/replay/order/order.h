/* replay/order: what one process did to files before another.
 * An event is held until those that it depends on have happened. */
#ifndef REX_REPLAY_ORDER_ORDER_H
#define REX_REPLAY_ORDER_ORDER_H

#include "base/base.h"

struct event;
struct task;

/* order.c */
/* Replay of tasks that share work, so that the log's order among them need not be kept: threads of a process, and
 * processes that share memory (a memory group).  Both are called siblings here; see replay/tasks/memory_groups.c and replay/wait/poll_threads.c. */
bool replay_on_connection(uint32_t stream);  /* a socket, but one that the kernel answers */
bool replay_has_asked(struct task *t, uint32_t stream, const struct event *e);
bool replay_changes_alone(const struct task *t, const char *path);  /* its process, or its memory group */
bool replay_is_of_siblings(const struct task *t);
bool replay_has_arrived(struct task *t, const struct event *e);
void replay_order_give_up(struct task *t, const struct event *e);
void replay_order_start(void);
bool replay_is_turn(struct task *t, const struct event *e);
uint32_t replay_others_next(const struct task *t);
void replay_order_instead(struct task *t);
bool replay_is_changed(const char *path), replay_is_divided(const char *path), replay_divides(void);  /* see replay/files/live_size.c */
bool replay_is_made(const char *dir);  /* by the experiment; see replay/files/created_dirs.c */

/* read_after_write.c */
bool replay_is_written(const struct event *e);  /* an opening: what others write there by then */

#endif

/* replay/wait: what its files share with each other only. */
#ifndef REX_REPLAY_WAIT_INTERNAL_H
#define REX_REPLAY_WAIT_INTERNAL_H

#include "base/base.h"

struct event;
struct task;

/* epoll_registry.c */
bool replay_epoll_stream(const struct task *t, const struct event *e, uint64_t data, uint32_t *stream);  /* what the log's data stood for, see replay/wait/epoll_registry.c */

/* poll.c */
void replay_wait_for_signal(struct task *t, const struct event *e);
bool replay_is_awaited(struct task *t, int fd);  /* an inner descriptor that must be ready before its process goes on */
void replay_wait_inside(struct task *t);
void replay_wait_longer(struct task *t, const struct event *e);

/* poll_threads.c */
bool replay_is_watched(struct task *t, uint64_t data, bool inner);  /* registered with epoll, as external */
void replay_tell_outside(struct task *t, struct event *e);

#endif

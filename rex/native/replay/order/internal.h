/* replay/order: what its files share with each other only. */
#ifndef REX_REPLAY_ORDER_INTERNAL_H
#define REX_REPLAY_ORDER_INTERNAL_H

#include "base/base.h"

struct event;

/* private_files.c */
void replay_unseen_start(struct event **ordered, size_t count);
bool replay_are_seen(const struct event *one, const struct event *other);  /* each by the other's process */

/* read_after_write.c */
void replay_written_start(void);

#endif

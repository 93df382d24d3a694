/* replay/pipes: what its files share with each other only. */
#ifndef REX_REPLAY_PIPES_INTERNAL_H
#define REX_REPLAY_PIPES_INTERNAL_H

#include "base/base.h"

struct event;
struct record;
struct task;

/* arrivals.c */
bool is_arrival(const struct record *r);
void replay_arrivals_start(void);
bool replay_arrival_comes(struct task *t, const struct event *e);
void replay_arrival_limit(struct task *t, const struct event *e);
void replay_arrival_came(struct task *t, const struct event *e, int64_t result);

#endif

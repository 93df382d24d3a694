/* replay/pipes: what its files share with each other only. */
#ifndef REX_REPLAY_PIPES_INTERNAL_H
#define REX_REPLAY_PIPES_INTERNAL_H

#include "base/base.h"
#include "tracee/task.h"

struct event;
struct record;
struct task;

/* What this room keeps of a task. */
struct pipe_state {
    struct bytes moved;                  /* through a watched pipe, by the call in progress */
    size_t moved_away;                   /* of the bytes that its call moves through a watched pipe */
    struct { uint64_t stack, from, said; } saying;   /* a write that is made again with its rest, see output.c */
};

static inline struct pipe_state *pipe_state(const struct task *t)
{
    return module_state(t, PIPES_STATE, sizeof(struct pipe_state));
}

/* arrivals.c */
bool is_arrival(const struct record *r);
void replay_arrivals_start(void);
bool replay_arrival_comes(struct task *t, const struct event *e);
void replay_arrival_limit(struct task *t, const struct event *e);
void replay_arrival_came(struct task *t, const struct event *e, int64_t result);

#endif

/* replay/pipes: inner pipes byte for byte, and the program's own output. */
#ifndef REX_REPLAY_PIPES_PIPES_H
#define REX_REPLAY_PIPES_PIPES_H

#include "base/base.h"

struct event;
struct observer;
struct task;

/* arrivals.c */
bool replay_has_arrivals(const struct task *t);
struct event *replay_arrival(struct task *t);
void replay_arrival_give_up(const struct task *t, const struct event *e);
void replay_arrival_back(const struct task *t);

/* output.c */
void replay_output_start(void);
void replay_output(struct task *t, struct event *e);
struct event *replay_output_of(struct task *t, struct event *own, uint64_t key);
void replay_output_exit(struct task *t, struct event *e, int64_t result);
bool replay_output_goes_on(const struct task *t);
void replay_output_rest_exit(struct task *t, int64_t result);
bool replay_siblings_write(const struct task *t);

/* pipes.c */
extern const struct observer moved_observer;
void replay_pipes_start(void);
bool replay_pipe_ready(struct task *t, const struct event *e);
bool replay_pipes_wait(void);
void replay_pipe(struct task *t, struct event *e);
void replay_pipe_exit(struct task *t, struct event *e, int64_t result);

#endif

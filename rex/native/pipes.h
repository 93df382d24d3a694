/* Inner pipes that are watched: see pipes.c and replay_pipes.c. */
#ifndef REX_PIPES_H
#define REX_PIPES_H

bool pipe_takes(long nr);
bool pipe_gives(long nr);
bool pipe_asks(const struct task *t);
bool is_pipe_call(const struct task *t);
bool arranges_pipe(struct task *t);
void pipes_watch(struct task *t);
uint64_t pipe_key(const uint64_t *args);
void pipe_event(struct task *t, struct bytes *b, int64_t result);
void pipe_gather(struct task *t, struct bytes *into, size_t n);     /* what its call is to write */
void pipe_scatter(struct task *t, const struct bytes *from);        /* what its call has read */
void replay_pipes_start(void);
bool replay_pipe_ready(struct task *t, const struct event *e);
bool replay_pipes_wait(void);
void replay_pipe(struct task *t, struct event *e);
void replay_pipe_exit(struct task *t, struct event *e, int64_t result);

#endif

/* Inner pipes that are watched, and descriptors that are handed over: see pipes.c, replay_pipes.c and rights.c. */
#ifndef REX_PIPES_H
#define REX_PIPES_H

bool pipe_takes(long nr);
bool pipe_gives(long nr);
bool pipe_asks(const struct task *t);
bool is_pipe_call(const struct task *t);
bool arranges_pipe(struct task *t);
void pipes_watch(struct task *t);
bool pipes_may_be_made(long nr);                     /* by such a call, with ends that are not to wait */
bool pipes_made(struct task *t, int64_t result);     /* whether its call, which has ended, made such */
enum { IS_ARRIVAL = 1, IS_TURN = 2, IS_LAST_TURN = 3 };   /* of an event's arguments: see arrivals.c, replay_arrivals.c, pipe_writers.c */
enum { SPEAKS_HIGH = 1, JOINS_TURNS = 2 };                /* of a process, in the result of its first event: see pipe_writers.c */
bool is_arrival_call(const struct task *t);
void arrivals_watch(struct task *t);
bool arrival_begins(struct task *t), arrival_came(struct task *t, int64_t result);
void arrivals_settle(void), arrivals_ended(struct task *t);
bool arrivals_wait(void);
bool is_arrival(const struct record *r);
void replay_arrivals_start(void);
bool replay_has_arrivals(const struct task *t);
struct event *replay_arrival(struct task *t);
bool replay_arrival_comes(struct task *t, const struct event *e);
void replay_arrival_waive(const struct task *t, const struct event *e);
void replay_arrival_limit(struct task *t, const struct event *e);
void replay_arrival_came(struct task *t, const struct event *e, int64_t result);
void replay_arrival_back(const struct task *t);
uint64_t pipe_key(const uint64_t *args);
void pipe_stands(struct task *t, int64_t fd);
void pipe_inherited(struct task *parent, struct task *t, uint64_t flags);
bool pipe_inherited_high(struct task *t);
bool pipe_may_speak(struct task *t, uint64_t flags), pipe_may_join(const struct task *parent, uint64_t flags);
void pipe_executed(struct files *f);
bool is_pipe_turn(const struct task *t);
bool pipe_is_left(const struct task *t, ino_t pipe);
void pipe_turns_end(struct task *t, int fd);
void pipe_event(struct task *t, struct bytes *b, int64_t result);
void pipe_gather(struct task *t, struct bytes *into, size_t n);     /* what its call is to write */
bool message_gather(struct task *t, uint64_t i, struct bytes *into);
void pipe_scatter(struct task *t, const struct bytes *from);        /* what its call has read */
void replay_pipes_start(void);
bool replay_pipe_ready(struct task *t, const struct event *e);
bool replay_pipes_wait(void);
void replay_pipe(struct task *t, struct event *e);
void replay_pipe_exit(struct task *t, struct event *e, int64_t result);

int borrow(struct task *t, int fd);                  /* a tracee's open file, until it is closed */
void record_rights_sent(struct task *t);
void record_rights(struct task *t, struct bytes *b);
uint32_t record_received(const char *path, const struct stat *st);
void replay_rights_start(void);
void replay_rights_sent(struct task *t, const struct event *e);
void replay_rights_leave(struct task *t);            /* over a socket that is made again, which hands them over itself */
void replay_rights_arrive(struct task *t);
bool replay_rights_received(struct task *t, struct event *e);
void replay_rights_taken(struct task *t, const struct event *e);
void record_outside(const struct stat *st);          /* one of the descriptors that the first process inherits */

#endif

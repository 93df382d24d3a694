/* Files that several processes lock or write: see shared.c and replay_shared.c. */
#ifndef REX_SHARED_H
#define REX_SHARED_H

int written_descriptor(const struct task *t);
bool is_shared_write(const struct task *t);
bool is_shared_meanwhile(const struct task *t);
bool is_shared_call(const struct task *t);
bool is_lock_number(uint64_t nr);
uint64_t write_position(const struct task *t, int fd, bool was_written);
void shared_opened(struct task *t, int fd, const struct stat *st, int flags);
void shared_born(struct task *parent, struct task *t, uint64_t flags);
void shared_executed(struct task *t);
void shared_recount(const struct task *gone);
uint64_t shared_key(const uint64_t *args);
void shared_event(struct task *t, struct bytes *b, int64_t result);
void replay_shared_start(void);
void replay_shared_opened(struct task *t, int fd, const struct event *e);
bool replay_shared_may_open(struct task *t, const struct event *e);
struct event *replay_shared_event(struct task *t);
bool replay_shared_ready(struct task *t, const struct event *e);
void replay_shared(struct task *t, struct event *e);
void replay_shared_exit(struct task *t, struct event *e, int64_t result);
char *replay_lock_file(const char *path, mode_t kind);   /* to lock instead of what others may lock too; NULL if that is not needed */
bool replay_is_locked(const char *path);

#endif

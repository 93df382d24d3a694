/* Files that several processes lock or write: see shared.c and replay_shared.c. */
#ifndef REX_SHARED_H
#define REX_SHARED_H

bool is_shared_call(const struct task *t);
uint64_t shared_key(const uint64_t *args);
void shared_event(struct task *t, struct bytes *b, int64_t result);
void replay_shared_start(void);
bool replay_shared_ready(struct task *t, const struct event *e);
void replay_shared(struct task *t, struct event *e);
void replay_shared_exit(struct task *t, struct event *e, int64_t result);
char *replay_lock_file(const char *path, mode_t kind);   /* to lock instead of what others may lock too; NULL if that is not needed */
bool replay_is_locked(const char *path);

#endif

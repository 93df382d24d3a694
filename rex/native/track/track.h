/* track: things outside one task that both record and replay follow.
 * Inner pipes and who writes to them in which order, files that several processes write or lock, System V IPC objects,
 * passed descriptors, the order in which threads read what others write, and seeded random numbers. */
#ifndef REX_TRACK_TRACK_H
#define REX_TRACK_TRACK_H

#include "base/base.h"

struct observer;
struct bytes;
struct files;
struct stack;
struct stat;
struct task;

/* Randomness by a seed, and the borders of cells: track/seeded_random.c. */
#define BORDER "/.rex-cell/"
enum { MOST_RIGHTS = 64 };
struct rights { size_t count; int fd[MOST_RIGHTS]; uint64_t at[MOST_RIGHTS]; };  /* where each number lies in the tracee */

/* arrival_order.c */
bool is_arrival_call(const struct task *t);
bool arrival_begins(struct task *t), arrival_came(struct task *t, int64_t result);
void arrivals_settle(void), arrivals_ended(struct task *t);
bool arrivals_wait(void);

/* large_mappings.c */
bool maps_large_file(const struct task *t);
uint64_t mapping_key(const uint64_t *args);

/* real_results.c */
struct file_ioctl { uint32_t command; size_t size; };
extern const uint32_t prctl_by_rights[];             /* ends with 0 */
extern const struct file_ioctl file_ioctls[];        /* ends with 0 */
bool has_logged_result(const struct task *t);        /* call_streams() was called */
bool sets_length(const struct rex_call *c);
int bounded_descriptor(const struct task *t);        /* that a call reads or writes, where that may be refused as at a BOUNDED_FILE; -1 */
bool is_bounded_file(const char *path, int flags);   /* that is opened so */
bool maps_external(const struct task *t);            /* memory of a socket or device */
uint64_t result_key(const uint64_t *args);           /* of an event's arguments */
size_t file_ioctl_answer(const struct task *t);      /* how many bytes the third argument points to now; 0: none */

/* control_messages.c */
struct rights rights_in(struct task *t);
void rights_leave(struct task *t), rights_arrive(struct task *t);
bool rights_may_arrive(struct task *t);              /* by a call that receives */
bool right_is_sent(struct task *t, int fd, uint32_t *mark);     /* by a process of the experiment; mark: what it was there */
uint64_t credentials_in(struct task *t);             /* where they are in the message of its call; 0: none */

/* pipe_turns.c */
extern const struct observer pipe_observer;
void pipe_stands(struct task *t, int64_t fd);
void pipe_inherited(struct task *parent, struct task *t, uint64_t flags);
bool pipe_inherited_high(struct task *t);
bool pipe_may_speak(struct task *t, uint64_t flags), pipe_may_join(const struct task *parent, uint64_t flags);
bool is_pipe_turn(const struct task *t);
void pipe_turns_end(struct task *t, int fd);

/* pipes.c */
bool pipe_asks(const struct task *t);
bool is_pipe_call(const struct task *t);
bool is_descriptor_call(const struct task *t);        /* it duplicates or closes descriptors, or is about one alone */
bool arranges_pipe(struct task *t);
void pipes_watch(struct task *t);
bool pipes_may_be_made(long nr);  /* by such a call, with ends that are not to wait */
bool pipes_made(struct task *t, int64_t result);  /* whether its call, which has ended, made such */
uint64_t pipe_key(const uint64_t *args);
void pipe_event(struct task *t, struct bytes *b, int64_t result);

/* seeded_random.c */
void seed_born(struct task *parent, struct task *t);
void seed_border(struct task *t);  /* a call with a name: maybe the border of a cell */
bool is_random_device(const struct stat *st);
void seed_drawn(struct task *t, int64_t result);
uint64_t seed_number(struct task *t);
void seed_stack(struct task *t, struct stack *s);  /* the initial stack of a new program */
/* Without a recording: */
void seed_opened(struct task *t, int64_t result);
void seed_program(struct task *t);

/* shared_files.c */
/* Files that several processes lock or write: see track/shared_files.c and replay/files/locks.c. */
int written_descriptor(const struct task *t);
bool is_shared_write(const struct task *t);
bool is_shared_meanwhile(const struct task *t);
bool is_shared_call(const struct task *t);
uint64_t write_position(const struct task *t, int fd, bool was_written);
void shared_opened(struct task *t, int fd, const struct stat *st, int flags);
void shared_born(struct task *parent, struct task *t, uint64_t flags);
void shared_executed(struct task *t);
void shared_recount(const struct task *gone);
uint64_t shared_key(const uint64_t *args);
void shared_event(struct task *t, struct bytes *b, int64_t result);

/* sysv_ipc.c */
void record_ipc_entry(struct task *t);
void record_ipc(struct task *t, struct bytes *b, int64_t result);  /* what is added to the event of such a call */

#endif

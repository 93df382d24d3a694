/* tracee: one stopped task, seen from outside.
 * Its memory, registers and stack, what /proc says of it, its external descriptors, what its paths mean, and how the
 * arguments of its calls are read and written by the declarations of the table (marshal.c). */
#ifndef REX_TRACEE_TRACEE_H
#define REX_TRACEE_TRACEE_H

#include <dirent.h>

#include "base/base.h"

struct address;
struct bytes;
struct event;
struct field;
struct files;
struct hidden_all;
struct opened;
struct record;
struct rex_call;
struct stack;
struct stat;
struct strings;
struct task;
struct usage;
struct user_regs_struct;

/* /proc/TID/maps, one at a time; NULL: it cannot be read. */
struct mapping { uint64_t from, to, offset, inode; char rights[4]; };

/* descriptors.c */
uint32_t files_mark(const struct files *f, int fd);  /* what it is: a stream, or one of the above; 0 = plain or internal */
uint32_t files_stream(const struct files *f, int fd);
bool files_piped(const struct files *f, int fd);  /* one that is watched, see track/pipes.c */
uint32_t files_shared(const struct files *f, int fd);  /* the mark of a shared file, 0 of others: see track/shared_files.c */
bool files_has_shared(const struct files *f, uint32_t mark);
void files_share(struct files *f, int fd, uint32_t mark);
void files_unshare(struct files *f, uint32_t mark);
bool files_counts(const struct files *f, int fd);  /* and moves a counter */
void files_duplicate(struct files *f, int from, int to);
uint64_t files_external(const struct files *f);  /* a bit for each, bit 63 for all above 62 */
void files_set(struct files *f, int fd, uint32_t stream);  /* stream 0 forgets */
void files_open(struct files *f, int fd, struct event *e, uint64_t file);
struct opened *files_opened(const struct files *f, int fd);
bool files_inside(const struct files *f, int fd);  /* a socket that is made again */
uint32_t stream_new(void);
uint64_t files_outputs(const struct files *f);  /* a bit for each that is external, without those above 62 */
struct files *files_copy(const struct files *f);
void files_drop(struct files *f);
bool filter_watches(const struct task *t);           /* seccomp filters name all its external descriptors */
void files_prune(struct files *f, pid_t tid);  /* after exec: close-on-exec */

/* exec_stack.c */
void exec_stack_raise(const struct task *t);  /* before it executes a file of a longer name than its own */
void exec_stack_restore(const struct task *t);

/* hidden.c */
void hidden_start(void), hidden_names_change(void);
const struct hidden_all *hidden_all(void);
const char *hidden_of(const char *path);
const char *hidden_below(const char *path);

/* marshal.c */
bool call_streams(struct task *t);  /* sets t->stream from its descriptor arguments */
uint32_t stream_of(const struct files *f, const struct rex_call *c, const uint64_t *args);
uint64_t call_key(const struct rex_call *c, long nr, const char *path, uint32_t stream, const uint64_t *args);
extern const uint32_t process_ioctls[];    /* ends with 0 */
bool names_process(const struct task *t);  /* a request of a process id: who locks, or has the signals of a descriptor */
void capture_outputs(struct task *t, struct bytes *b, int64_t result);
void capture_inputs(struct task *t, struct bytes *b, int64_t result);
void capture_block(struct task *t, struct bytes *b, int arg, uint8_t type, uint64_t at, size_t n);
void put_outputs(struct task *t, const struct record *r);
bool compare_inputs(struct task *t, const struct record *r);
uint64_t fork_flags(struct task *t);
void take_arguments(struct task *t);  /* of the call that it enters; a child is traced, whatever its flags */
void pipe_gather(struct task *t, struct bytes *into, size_t n);  /* what its call is to write */
bool message_gather(struct task *t, uint64_t i, struct bytes *into);
void pipe_scatter(struct task *t, const struct bytes *from);  /* what its call has read */
bool is_timed_futex(const struct task *t);

/* memory.c */
int mem_open(pid_t tid, int flags);  /* its memory as a file */
ull mem_refused(void);  /* how many reads of live tracees the kernel did not allow */
bool mem_read(pid_t tid, uint64_t at, void *to, size_t n);
bool is_syscall_at(pid_t tid, uint64_t rip);
bool mem_write(pid_t tid, uint64_t at, const void *from, size_t n);
char *mem_string(pid_t tid, uint64_t at, size_t limit);  /* NULL if unreadable */
void mem_strings(pid_t tid, uint64_t at, struct bytes *b);  /* an array of them, each with its end */

/* paths.c */
uint64_t file_of_fd(pid_t tid, int fd);  /* which file it is, by name; 0: none */
char *path_of_fd(pid_t tid, int fd);  /* in a live run the logical path */
bool path_is_common(const char *path);  /* it means the same to every process */
char *path_real(const char *path);  /* without links; NULL also for what has no place */
int path_stat(const char *path, struct stat *st, bool follow);  /* of a resolved path; 0 or -1 */
char *path_resolve(struct task *t, int dirfd, const char *path, bool follow);
int open_flags(struct task *t), flags_in(const struct record *r);
mode_t open_mode(struct task *t);
bool times_to_set(struct task *t, struct timespec times[2]);  /* now, where the call gives none; false: they cannot be read */
bool queries_descriptor(const struct task *t);  /* the stat of one: fstat, or by an empty path */
void read_names(struct task *t);  /* sets path, path2 from the tracee's memory */

/* procfs.c */
void proc_value(pid_t tid, const char *file, const char *format, ...) __attribute__((format(scanf, 3, 4)));
unsigned flags_of_fd(pid_t tid, int fd, unsigned unknown);  /* as by open; if they are not known: unknown */
uint64_t position_of_fd(pid_t tid, int fd, uint64_t unknown);
int process_of_fd(pid_t tid, int fd);  /* that a pidfd stands for; 0: it is none, -1: it has ended */
bool is_caught(pid_t tid, int sig);  /* the program has a handler for the signal */
FILE *mappings_open(pid_t tid);
bool mappings_next(FILE *f, struct mapping *m);
char *link_of_fd(pid_t tid, int fd);  /* the kernel's name of it */
bool stat_of_fd(pid_t tid, int fd, struct stat *st);  /* of what is open there; false: nothing */
DIR *fds_of(pid_t tid);  /* its open descriptors; NULL: it is no more */
int next_fd(DIR *fds);  /* -1: that were all, and they are closed */
mode_t masked(const struct task *t, uint64_t mode);  /* less what the task's umask takes away */
int borrow(struct task *t, int fd);  /* a tracee's open file, until it is closed */

/* regs.c */
struct user_regs_struct regs_get(struct task *t);
void regs_set(struct task *t, const struct user_regs_struct *r);
void skip_call(struct task *t, int64_t result);  /* the kernel does not run it */
bool is_disturbed(const struct task *t, int64_t result);
bool is_cut_short(struct task *t);  /* its call, by a signal */
void rewind_call(struct task *t);  /* the tracee enters it again */
void change_call(struct task *t, long nr, uint64_t a, uint64_t b, uint64_t c, uint64_t d);
void insert_call(struct task *t, long nr, const uint64_t *args, void (*then)(struct task *t, int64_t result));
bool run_to_either(struct task *t, uint64_t one, uint64_t other);  /* of two instructions */
bool single_step(struct task *t);  /* false: it has ended, which is reported to who waits for all */
int64_t call_now(struct task *t, long nr, const uint64_t *args);  /* at a stop that is no call's; the mode does not see it */
long trace_options(void);
void give_result(struct task *t, int64_t result);  /* at an exit-stop; arguments as they were */

/* resume.c */
void resume(struct task *t, int sig);
bool wants_all_calls(struct task *t);  /* each is to stop, for the sake of a signal */

/* process_options.c */
bool process_option_answered(struct task *t);  /* at an entry-stop; true: the call sets or queries such an option, and is answered */

/* own_memory.c */
bool own_memory_add(struct task *t, uint64_t size);  /* before so much is mapped; false: the memory limit cannot be raised */
void own_memory_gone(struct task *t);
void own_memory_hide(struct task *t, int64_t result);

/* scratch.c */
enum { SCRATCH_SLOTS = 2048, SCRATCH_SLOT = 8192, SCRATCH_LARGE_SLOTS = 4, LARGE_SLOT = 2 << 20,     /* the last: for the arguments of a script */
       SCRATCH_SIZE = SCRATCH_SLOTS * SCRATCH_SLOT + SCRATCH_LARGE_SLOTS * LARGE_SLOT };
#define SCRATCH_AT 0x2e0000000000ULL  /* unless something else is there */
uint64_t scratch_large(struct task *t);
bool scratch_ready(struct task *t);  /* false: it is being made, the call comes again */
uint64_t scratch_put(struct task *t, const void *data, size_t n);

/* sockaddr.c */
bool address_same(const struct address *bound, const struct address *to);  /* what is bound so is reached so */
struct address address_of(const struct field *f);  /* of the log; NULL: none, of no bytes */
void address_trim(struct address *a);  /* of a path, what comes after it */
bool address_is_any(const struct address *a);
void address_copy_number(struct address *to, const struct address *from);  /* of the host, not the port */
bool address_equals(const struct address *a, const struct address *b);  /* byte by byte */
unsigned address_port(const struct address *a);
bool address_sent_to(struct task *t, struct address *to);  /* where the datagram of its call goes, if the call names that */
void address_set_port(struct address *a, unsigned port);

/* stack.c */
bool stack_read(struct task *t, struct stack *s);
uint64_t stack_random(struct stack *s);
uint64_t stack_loader(struct task *t);
void stack_hide_vdso(struct task *t, struct stack *s);
void mask_variables(unsigned char *block, size_t n, const struct strings *names);
void stack_rename(struct task *t, const char *name);  /* the name that the program sees as its own */
void stack_restore(struct task *t, uint64_t at, const unsigned char *image, size_t n);
void stack_adopt(struct task *t, const unsigned char *image, size_t n);  /* of the log, for what has other arguments */

/* task.c */
extern struct task *tasks, *ended_processes;  /* the latter in replays only: what their parents know */
char task_state(struct task *t);  /* as in /proc: R runs, S sleeps, t is stopped; X has ended */
bool task_is_ending(struct task *t);  /* beyond its last instruction, though not yet reported */
bool task_blocks(const struct task *t, int sig);  /* a signal, by its mask */
bool task_masks(const struct task *t, int sig, int how);  /* the call that it begins blocks it, or lets it in */
bool task_halt(struct task *t);  /* it stops, which is reported later; false: not soon */
struct usage task_usage(const struct task *t);  /* until now, which on a busy machine says more than wall time; 0 where the kernel does not say; NULL: our own */
struct usage usage_since(const struct task *t, struct usage *before);  /* which is as it is now afterwards */
void task_renamed(struct task *t);
struct task *task_new(pid_t tid, struct task *parent, uint64_t flags);
struct task *task_of(pid_t tid);
void task_exec(struct task *t), task_end(struct task *t);
int tasks_alive(void);
bool tasks_forked(void);  /* there has been more than one process */
void task_watch_end(struct task *t, uint8_t reason, bool watched);

/* regime.c */
void regime_begins(struct task *leader), regime_has_threads(struct task *leader), regime_shares_memory(struct task *leader);
void regime_gives_up_order(struct task *t);
enum regime regime_of(const struct task *t);
bool shares_memory(const struct task *t);               /* it shares memory with other processes, see replay/tasks/memory_groups.c */
bool has_shared_work(const struct task *t);      /* what the log has of one task may be another's now */
bool is_single(const struct task *t);

#endif

/* rex-engine: records and replays processes with ptrace and seccomp.
 *
 * The parts, from the bottom up:
 *   memory.c  bytes in and out of a tracee        log.c     the syscall log, written and indexed
 *   filter.c  which calls stop                    calls.c   a call's data, by its declaration
 *   task.c    tasks, address spaces, descriptors  stack.c   the initial stack of a program
 *   paths.c   what a path means to a tracee       trace.c   spawn, stops, signals, task names
 *   steer.c   registers, and how a task goes on   fast.c    queries without a stop
 *   stub.c    their code, which runs in tracees   reports.c in what order stops are taken
 *   record*.c stops in, log out                   replay*.c log in, answers out
 *   tsc.c, counter.c, polls.c  readings of the processor's counter     rdrand.c  its random numbers
 *   seed.c    randomness that is the same in every run    unwind.c  the functions that led to a call
 *   pipes.c   what a process moves through inner pipes that it polls    arrivals.c  what threads read from those of others
 *   pipe_writers.c  who writes to an inner pipe before whom    replay_pace.c  clocks read more or less often
 *   rights.c  descriptors that are handed over   shared.c  locks of files   ipc.c  System V IPC
 *   mappings.c  where large files are mapped       addresses.c  of sockets
 *   replay_inside.c  connections between threaded processes, which are made again
 *   replay_talks.c  what was said to servers outside   replay_lines.c  the engine in their place
 *   replay_options.c  of sockets        replay_scratch.c  room for arguments        replay_told.c  what waits told of
 *   replay_said.c   in which order that was
 *   replay_own.c  files that threads name otherwise than when recorded       replay_prods.c  threads that wake each other
 *   replay_sizes.c  sizes of files that threads wrote    replay_suspend.c  threads that stop each other
 *   replay_jobs.c  processes that the threads of a pool start   replay_children.c  waits for the ends of children
 *   replay_alone.c  of whose threads one works
 *   replay_ticks.c  threads that a timer wakes           replay_numbers.c  descriptors that waits take
 *   replay_priority.c  locks that lend priority        replay_did.c  clocks by what was done before
 *   replay_sigwait.c  signals that a call takes       replay_sole.c   of whose threads one ever worked
 *   replay_epoll.c  what epoll watched when recorded   replay_drawn.c, replay_named.c  random bytes, names of now
 *   replay_computes.c  signals in the midst of computation
 *   replay_renamed.c  names that threads have drawn otherwise      replay_until.c, replay_sooner.c  waits until a point in time
 *   serial*.c one task at a time, in an order that the log has
 *   overlay.c files of a replay: archived ones, and those written below the output directory
 *   view*.c   files of a live run: those, local ones, and this machine's       live*.c  its calls
 */
#ifndef REX_ENGINE_H
#define REX_ENGINE_H

#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/user.h>
#include <time.h>
#include <unistd.h>

#include "generated/syscalls.h"

typedef unsigned long long ull;

/* ------------------------------------------------------------------ plan */

struct strings { char **item; size_t count; };

struct plan {
    const char *mode, *log, *program, *cwd, *outdir, *report, *empty, *work;
    struct strings args, env, withhold;
    struct strings map_from, map_to;      /* replay: archived path, "mode mtime_ns file" that stands for it */
    struct strings exec_from, exec_to;    /* replay: program, file to execute for it */
    struct strings link_from, link_to;    /* replay: archived symbolic link, its target */
    struct strings dirs;                  /* replay: archived directories, "mode path" */
    struct strings steps;                 /* replay: tasks that are steps, see replay_steps.c */
    const char *seed;                     /* of the randomness given to the program, NULL = the kernel's */
    struct strings dir_times;             /* live: "mtime_ns path" */
    struct strings absent;                /* live: paths that the archive says are not there */
    struct strings stubs;                 /* live: "mode mtime_ns size path" of files without content */
    struct strings listed, entries;       /* live: directories whose names it knows, and the paths of those */
    const char *objects;                  /* live: the folder of archived files, unpacked */
    const char *was_in;                   /* replay: the directory that the recording began in */
    struct marks { size_t map, link, dir, dir_time, absent, stub, listed, entry; } *worlds;
    size_t world_count;                   /* live: where the files of each world begin, see view_branch.c */
    int mask;                             /* replay: the umask as recorded, -1 = leave */
    int control;                          /* record: descriptor of the capture service, -1 without */
    int hints;                            /* record: a pipe to it that never waits, -1 without */
    int gate;                             /* replay: descriptor of who decides on steps, -1 without */
    ull stack_limit;                      /* soft RLIMIT_STACK, 0 = leave */
    bool serialize;                       /* record: one task at a time */
};
extern struct plan plan;
void plan_read(const char *path);
struct marks plan_marks(void);

void die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
void *grow(void *items, size_t count, size_t size);
void *zalloc(size_t size);
char *text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A few streams that are of one kind. */
struct streams { uint32_t *id; size_t count; };
void streams_add(struct streams *s, uint32_t stream);
bool streams_have(const struct streams *s, uint32_t stream);

/* Sets and maps of strings. */
struct table { struct slot *slot; size_t size, used; };
struct slot { char *key; void *value; };
void **table_at(struct table *t, const char *key);       /* makes it if missing */
void **table_at_file(struct table *t, uint64_t device, uint64_t inode);
void *table_get(const struct table *t, const char *key);
ull hash_bytes(const void *data, size_t n, ull seed);

/* ------------------------------------------------------------------ tasks */

struct bytes { unsigned char *data; size_t used, size; };

/* External descriptors of a process; those not listed are plain or internal. */
struct external { int fd; uint32_t stream; };
/* See pipe_writers.c, arrivals.c, replay_inside.c, pipes.c. */
enum { PIPE_WRITTEN = -5, PIPE_ARRIVES = -4, SOCKET_INSIDE = -3, PIPE_BYTES = -2, PIPE_COUNTER = -1 };
#define SHARED_FILE 0xc0000000u                     /* and on, up to those: a file that others may write, see shared.c */
struct opened { struct event *event; uint64_t file; bool again; uint32_t listed; };   /* again: the log has the open once less */
struct files {
    int refs, count, high, waited;   /* high: how many external ones above 2; waited: calls while some are not watched */
    uint64_t reserved, copies;       /* replay: a bit for each that a thread takes as it waits, and for copies of such */
    bool writes;                     /* record: it may have plain files open for writing */
    struct external *item;
    struct opened *opened;           /* replay: by descriptor, the open that made it; may be stale */
    int opened_count;
};

struct space {                       /* one address space */
    int refs;
    uint64_t scratch;
    unsigned queries;                /* and plain calls that stopped */
    struct loader { uint64_t at, code, code_size; } loader;   /* 0: none whose readings of the counter are passed over */
    const struct code *code;         /* of a library that is being mapped, see rdrand.c */
    uint64_t code_inode;
    unsigned code_looks;
    bool filter_due;                 /* one lies in its area, and is not yet in force */
    struct fast *fast; struct sites *sites; struct frame *frames;   /* the second of its program; what is known of its functions */
    struct counters *counters; struct known_files *files; struct names *names;   /* see counter.c; unwind.c; names.c */
};

enum call_state { CALL_NONE, CALL_ENTERED, CALL_IGNORED };

struct task {
    pid_t tid;
    uint32_t index;
    struct task *leader;             /* the task that names the process */
    int threads;                     /* of a leader: live tasks of the process */
    bool threaded;                   /* of a leader: it has had threads since its last exec */
    const struct task *greeter;      /* of a leader: the thread that began its last connection by TLS */
    bool from_threads, joins_turns;  /* of a leader: forked by a process with threads, it has its descriptors by their race; by its first thread */
    bool kin;                        /* of a leader, replay: it shares memory with other processes, see replay_kin.c */
    uint32_t children;               /* ordinal of the next child */
    struct files *files;
    struct space *space;
    struct task *next;
    bool alive, started, stepping, runs_freely;   /* the last: only calls of the filters stop it */
    /* the call in progress */
    enum call_state state;
    bool want_exit, by_entry_stop;
    struct user_regs_struct regs;    /* at entry */
    long nr;
    uint64_t args[6];
    uint32_t stream, deref;
    char *path, *path2, *resolved, *resolved2;
    struct bytes *exec;              /* record: execve's fields, kept over the exec */
    bool created;
    char *creating;                  /* what is missing as the call that makes it begins */
    int exec_refused;
    bool has_own_arguments;          /* replay: the program that it executes has others than when recorded */
    /* record: an interrupted call that may be restarted; its event is not yet written */
    struct bytes *pending;
    bool goes_on;                    /* record: the kernel goes on with the call that is pending, after a signal without a handler */
    unsigned char siginfo[sizeof(siginfo_t)];
    uint64_t returned_at;            /* instruction after the call of the last event, 0 after others */
    /* replay */
    struct script *script;           /* what the log holds for this task */
    struct event *matched;
    struct event *injected, *let_in; /* a signal on its way; one that is blocked again once it was handled */
    struct event *owed[65];          /* signals that were blocked when sent */
    uint64_t handler_sp;             /* the stack below which it handles a signal that came as it rested, 0 = none: see replay_alone.c */
    uint64_t prodded, let_in_sp;     /* a bit for each that another thread sends once more than when recorded; the stack below let_in */
    struct task *newborn, *maker;    /* see replay_jobs.c: the process it makes, who makes it */
    struct { const struct event *event; uint32_t count; } took;      /* signals of what this event is of, see replay_sigwait.c */
    bool nameless, suspended;        /* what it is called shows as it executes; see replay_suspend.c: by a mate, until it lets it go on */
    struct bytes moved;              /* through a watched pipe, by the call in progress */
    size_t moved_away;
    struct { uint64_t stack, from, said; } saying;   /* a write that is made again with its rest, see replay_output.c */
    bool lost_reader;                /* its signal is not to come: it had none when recorded */
    uint32_t next_thread, next_process;   /* ordinals of its children, by their kind */
    uint64_t child_tid_at;
    uint64_t clock, wall;            /* CLOCK_MONOTONIC and CLOCK_REALTIME as last answered */
    uint64_t clock_at, wall_at;      /* when, in the log's time; 0: not the log's answer */
    const struct event *wall_told;   /* NULL: it has read a clock since, or the log has no such reading */
    uint64_t asker, least;           /* who read CLOCK_MONOTONIC last; as last answered to others than those that reckon a wait's limit */
    uint64_t readings, readings_since;   /* of CLOCK_MONOTONIC, more than the log has here */
    uint64_t did;                    /* the key of its last call on a path */
    uint64_t clock_floor, told_floor, waited_floor; /* what CLOCK_MONOTONIC must have reached; by what the log told; where it has no more */
    uint64_t deadline, wait_began, lasts;   /* of the futex wait in progress, by CLOCK_MONOTONIC; from a reading for its limit alone */
    uint64_t ends_at; bool is_told;  /* when the wait in progress is over, in the log's time, 0 = unknown; as the log told the thread */
    ull wait_until, wait_to;         /* of a wait for readiness, by our clock and its runtime's: see replay_runtime.c */
    const struct field *stat_as;     /* what fstat is to tell of the copy of a file */
    uint64_t opening;                /* hash of the file that is being opened */
    bool is_next_outside, is_forced, is_paced;   /* that is next in the log; is told though it may not have come; of a leader: so was its process */
    bool only_naps, ticked;          /* more often than in the log, or in vain: it waits for others; has waited for its timer */
    bool waits_inside, hastened, is_over;     /* for what is ready inside; is to go on with what the log has ready outside; or as its time is over */
    struct event *outside;           /* that its wait ends with, once that has come */
    struct event *in_vain;           /* the wait that it makes, which ran out when recorded */
    uint64_t waits_at; unsigned waits_on;     /* how often a wait went on as it had run out, with others at that place: see replay_until.c */
    bool inside;                     /* the call is on a socket that is made again, see replay_inside.c */
    bool held, blocked;              /* at a stop until its turn comes; in pause, as the call does not end here */
    void (*then)(struct task *t, int64_t result);   /* of a call that was put before the task's own */
    uint64_t watched, watch_due;     /* descriptors whose calls stop by filter, those of the next filter */
    int watches;                     /* how many filters that took */
    bool skipped;                    /* a step that does not run */
    struct script *step;             /* the step that it belongs to */
    char *cwd;                       /* of a leader */
    int stat_fd, number;             /* of task_state; the descriptor that its wait has, 0 = none */
    struct usage { ull ran, waited; } usage, seen;   /* of a processor, ns; when last looked at by replay_stuck.c, by replay_runtime.c */
    /* live */
    bool is_rewritten, is_logged, has_live_result;
    struct view *view;
    int64_t live_result;             /* instead of that of the call that was put in its place */
    char *loader, *exec_name;        /* of a program that is being executed */
    uint64_t ring;                   /* where its ring is in the tracee, 0 = it has none */
    bool has_locks;                  /* replay: it shares memory with others, where locks may be: its end is seen */
    uint8_t end_watched;             /* it stops as it ends, for these reasons */
    bool ring_busy;                  /* it was stopped half way through a query */
    bool ring_laid;                  /* replay: answers were put there */
    uint32_t ring_taken;             /* record: how much was seen while the task ran on */
    struct ahead { struct event *event; uint32_t size; } *run;   /* replay: the answers that lie there */
    size_t run_count;
    ull last_stop; struct { const struct event *event; ull ran; } rest;      /* see replay_sleeps.c */
    /* record */
    bool executed, waited_until;     /* it runs a program of its own; since it read a clock it waited until a point in time */
    bool shares;                     /* its call is one on a shared file */
    uint64_t turn;                   /* record: what it writes to one at a time with others, 0 = nothing: see record_writers.c */
    bool has_turn;
    struct { bool waits, is_out; int64_t size; uint64_t pipe; ull at, ran; } came;   /* see arrivals.c; size: of what it does not have yet */
    pid_t made_by;                   /* which waits until it executes */
    struct deferred *deferred;       /* a signal that is held back, see record_signals.c */
    int last_signal;                 /* record: that was delivered, and where */
    uint64_t last_signal_rip;
    struct { uint64_t look; unsigned times; bool loops; ull since, seen, until; } polls;     /* reads the counter in a loop, see polls.c */
    uint64_t user_us, system_us;     /* at its end: processor time, with the children it waited for */
    uint64_t random, random_drawn, random_children;   /* see seed.c */
    /* one task at a time */
    bool parked;                     /* at a stop, until it has the turn */
    bool returned;                   /* from a call, since it was resumed */
    bool cut, rewound;               /* its last call: will be made again */
    bool restarts;                   /* at once, unless a signal comes first */
    bool at_entry;                   /* parked before the handler has seen the call */
    bool listening, vforking;        /* stopped by job control; until its child executes */
    bool preempting, preempted, muted, roused;     /* an interruption is on its way; it was interrupted as it computed; see serial_mutes() */
    bool stepped_out;                /* a single step has led to another stop, already seen to */
    int parked_signal;
    unsigned spin;                   /* instructions of the loop in which it was interrupted, 0 = no such loop */
    uint64_t calls, ticket, preempted_at, used_at, heard;     /* the last: its mask of signals, as it is muted */
    uint64_t cut_passed, cut_calls;  /* when its last call was cut short: passings before, calls of who had the turn */
    ull patience, used;              /* ns that it may run without a call before it is looked at; that it had used */
};

extern struct task *tasks, *ended_processes;         /* the latter in replays only: what their parents know */
char task_state(struct task *t);                      /* as in /proc: R runs, S sleeps, t is stopped; X has ended */
bool task_is_ending(struct task *t);                  /* beyond its last instruction, though not yet reported */
bool task_blocks(const struct task *t, int sig);      /* a signal, by its mask */
bool task_masks(const struct task *t, int sig, int how);     /* the call that it begins blocks it, or lets it in */
bool task_halt(struct task *t);                       /* it stops, which is reported later; false: not soon */
struct usage task_usage(const struct task *t);        /* until now, which on a busy machine says more than wall time; 0 where the kernel does not say; NULL: our own */
struct usage usage_since(const struct task *t, struct usage *before);    /* which is as it is now afterwards */
void task_renamed(struct task *t);
struct task *task_new(pid_t tid, struct task *parent, uint64_t flags);
struct task *task_of(pid_t tid);
void task_exec(struct task *t), task_end(struct task *t);
int tasks_alive(void);
bool tasks_forked(void);                              /* there has been more than one process */

uint32_t files_mark(const struct files *f, int fd);  /* what it is: a stream, or one of the above; 0 = plain or internal */
uint32_t files_stream(const struct files *f, int fd);
bool files_piped(const struct files *f, int fd);     /* one that is watched, see pipes.c */
uint32_t files_shared(const struct files *f, int fd);    /* the mark of a shared file, 0 of others: see shared.c */
bool files_has_shared(const struct files *f, uint32_t mark);
void files_share(struct files *f, int fd, uint32_t mark);
void files_unshare(struct files *f, uint32_t mark);
bool files_counts(const struct files *f, int fd);    /* and moves a counter */
void files_duplicate(struct files *f, int from, int to);
uint64_t files_external(const struct files *f);      /* a bit for each, bit 63 for all above 62 */
void files_set(struct files *f, int fd, uint32_t stream);         /* stream 0 forgets */
void files_open(struct files *f, int fd, struct event *e, uint64_t file);
struct opened *files_opened(const struct files *f, int fd);

/* ------------------------------------------------------------------ memory */

int mem_open(pid_t tid, int flags);                    /* its memory as a file */
bool mem_read(pid_t tid, uint64_t at, void *to, size_t n);
bool is_syscall_at(pid_t tid, uint64_t rip);
bool mem_write(pid_t tid, uint64_t at, const void *from, size_t n);
char *mem_string(pid_t tid, uint64_t at, size_t limit);            /* NULL if unreadable */
void mem_strings(pid_t tid, uint64_t at, struct bytes *b);          /* an array of them, each with its end */
void proc_value(pid_t tid, const char *file, const char *format, ...) __attribute__((format(scanf, 3, 4)));
unsigned flags_of_fd(pid_t tid, int fd, unsigned unknown);           /* as by open; where they can not be told: unknown */
uint64_t position_of_fd(pid_t tid, int fd, uint64_t unknown);
bool is_caught(pid_t tid, int sig);                   /* the program has a handler for the signal */

void bytes_add(struct bytes *b, const void *data, size_t n);
unsigned char *bytes_room(struct bytes *b, size_t n);
void bytes_free(struct bytes *b);

/* ------------------------------------------------------------------ log */

enum special { EVENT_TASK = 0x8000, EVENT_SIGNAL, EVENT_EXIT, EVENT_TSC, EVENT_NOTE, EVENT_DUP, EVENT_SWITCH, EVENT_PIPE, EVENT_RANDOM, EVENT_SHARED,
               EVENT_MAPPED };
enum moment { BETWEEN_CALLS, WITH_LAST_EVENT, IN_UNSEEN_CALL, AT_NEXT_CALL, AT_UNBLOCK, AT_UNSEEN_CALL, AT_HANDLER };  /* where a signal came */
enum { DEFERRED_NS = 5000000 };                      /* for so long of processor time at most one waits for a call: see record_signals.c */
enum field_type { FIELD_OUT = 1, FIELD_IN, FIELD_RESOLVED, FIELD_STAT, FIELD_ARGV, FIELD_ENVP,
                  FIELD_STACK, FIELD_SCRIPT, FIELD_TEXT, FIELD_LOADER, FIELD_STAND_IN = 255 };  /* the last: in rings only */
enum { FIELD_WHOLE = 255, PART_NAME = 0x10, PART_DATA = 0x20, PART_CONTROL = 0x30 };

struct record {                      /* as it lies in the log */
    uint32_t size; uint16_t call, flags; uint32_t task, stream;
    int64_t result; uint64_t time; uint64_t args[6];
};
struct field { uint8_t arg, type; uint16_t zero; uint32_t length; unsigned char data[]; };

void log_create(const char *path);
void log_begin(struct bytes *b, uint16_t call, uint32_t task);
void log_field(struct bytes *b, uint8_t arg, uint8_t type, const void *data, size_t n);
void log_end(struct bytes *b);       /* writes and empties b */
void log_put(const void *record, size_t n);
void log_note(struct task *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void log_flush(void), log_close(void);
uint64_t log_now(void), log_stamp(void), log_start(void);
uint64_t clock_ns(clockid_t id);
extern uint64_t log_events;
enum { LOG_SERIALIZED = 2, LOG_WITH_PIPES, LOG_LOADER_UNREAD, LOG_WITH_MOMENTS, LOG_WITH_SHARED, LOG_WITH_ENDS, LOG_WITH_MAPPED, LOG_WITH_IPC, LOG_WITH_ARRIVALS, LOG_WITH_RESTS,
       LOG_WITH_TURNS, LOG_WITH_HIGH_TURNS, LOG_WITH_MADE_PIPES };
extern uint32_t log_version;                         /* of the log written or replayed */

#include "script.h"
void log_load(const char *path);
struct script *script_of(uint32_t task);
uint32_t script_total(void);
struct script *script_named(uint32_t tid);
struct script *script_leader(uint32_t task);
size_t script_place(const struct script *s, const struct event *e);
struct script *script_child(uint32_t parent, uint32_t ordinal);
const struct field *record_field(const struct record *r, uint8_t arg, uint8_t type);
char *record_text(const struct record *r, uint8_t arg, uint8_t type);
const struct field *field_next(const struct record *r, const struct field *f);
extern struct event *events;
extern size_t event_count;

/* ------------------------------------------------------------------ calls */

#define NO_CALL ((long)-1)
const struct rex_call *call_of(long nr);
bool call_streams(struct task *t);            /* sets t->stream from its descriptor arguments */
uint32_t stream_of(const struct files *f, const struct rex_call *c, const uint64_t *args);
uint64_t call_key(const struct rex_call *c, long nr, const char *path, uint32_t stream, const uint64_t *args);
bool names_process(const struct task *t);      /* fcntl of a process id: who locks, or has the signals of a descriptor */
void capture_outputs(struct task *t, struct bytes *b, int64_t result);
void capture_inputs(struct task *t, struct bytes *b, int64_t result);
void capture_block(struct task *t, struct bytes *b, int arg, uint8_t type, uint64_t at, size_t n);
void put_outputs(struct task *t, const struct record *r);
bool compare_inputs(struct task *t, const struct record *r);
uint64_t fork_flags(struct task *t);
void take_arguments(struct task *t);                  /* of the call that it enters; a child is traced, whatever that asks */

/* ------------------------------------------------------------------ stack */

struct stack { uint64_t at; struct bytes image; };
bool stack_read(struct task *t, struct stack *s);
uint64_t stack_random(struct stack *s);
uint64_t stack_loader(struct task *t);
void stack_hide_vdso(struct task *t, struct stack *s);
void mask_variables(unsigned char *block, size_t n, const struct strings *names);
void stack_rename(struct task *t, const char *name);  /* what the program is told that it was executed as */
void stack_restore(struct task *t, uint64_t at, const unsigned char *image, size_t n);

/* ------------------------------------------------------------------ tracing */

struct user_regs_struct regs_get(struct task *t);
void regs_set(struct task *t, const struct user_regs_struct *r);
void skip_call(struct task *t, int64_t result);      /* the kernel does not run it */
bool is_interrupted(int64_t result), is_disturbed(const struct task *t, int64_t result);     /* the latter: only as there is a tracer */
bool is_cut_short(struct task *t);                   /* its call, by a signal */
void rewind_call(struct task *t);                    /* the tracee enters it again */
void change_call(struct task *t, long nr, uint64_t a, uint64_t b, uint64_t c, uint64_t d);
void insert_call(struct task *t, long nr, const uint64_t *args, void (*then)(struct task *t, int64_t result));
/* What is blocked meanwhile: a trap that is would lose its handler. */
#define ALL_BUT_TRAPS (~(1ULL << (SIGTRAP - 1)))
bool run_to_either(struct task *t, uint64_t one, uint64_t other);    /* of two instructions */
bool single_step(struct task *t);                    /* false: it has ended, which is reported to who waits for all */
int64_t call_now(struct task *t, long nr, const uint64_t *args);   /* at a stop that is no call's; of calls that do not stop */
void resume(struct task *t, int sig);
bool wants_all_calls(struct task *t);                /* each is to stop, for the sake of a signal */
void go_on_entering(struct task *t);                 /* the handler's part of an entry-stop */
struct rusage;
pid_t next_report(int *status, int options, struct rusage *used);
void take_report(pid_t tid, int status, const struct rusage *used);    /* of wait4 */
void take_ended(const struct task *t);               /* its siblings that have */
int trace(void);                                     /* wait status of the first process */
long trace_options(void);
enum { END_WITH_RING = 1, END_WITH_LOCKS = 2, END_IN_WRITE = 4 };
void task_watch_end(struct task *t, uint8_t reason, bool watched);
void filter_install(void);
bool filter_watches(const struct task *t);           /* all its external descriptors */
bool filter_watch(struct task *t);                   /* true: the stop is used for that */

struct handler {                                     /* record or replay */
    void (*entry)(struct task *t);
    void (*exit)(struct task *t, int64_t result);
    void (*born)(struct task *parent, struct task *t, uint64_t flags);
    void (*execed)(struct task *t);
    bool (*signal)(struct task *t, int sig);         /* true: deliver it */
    void (*stepped)(struct task *t);
    void (*ended)(struct task *t, int status);
    void (*tsc)(struct task *t, bool with_aux, uint64_t *value, uint32_t *aux);
    uint64_t (*random)(struct task *t);
    void (*start)(struct task *t);                   /* its first stop */
    void (*settle)(void);                            /* after each report of the kernel */
    void (*idle)(void);                              /* no report for a while */
    void (*leaves)(struct task *t);                  /* it ends, and is watched so */
    bool patient;                                    /* no idle calls wanted */
    void (*taken)(struct task *t, const unsigned char *records, uint32_t n);   /* in its ring; replay: n bytes */
    void (*ready)(struct task *t);                   /* it is about to go on */
    bool (*all_calls)(struct task *t);               /* whether each of its calls is to stop */
};
extern const struct handler *handler;
extern const struct handler recorder, replayer, live;

void report_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

#include "counter.h"
#include "inside.h"
#include "live.h"
#include "mappings.h"
#include "mates.h"
#include "overlay.h"
#include "paths.h"
#include "pipes.h"
#include "placement.h"
#include "rdrand.h"
#include "record.h"
#include "replay.h"
#include "seed.h"
#include "serial.h"
#include "shared.h"

#endif

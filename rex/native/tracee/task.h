/* tracee: what the engine knows of a task, its address space and its descriptors.
 * Types only; the functions are declared in tracee/tracee.h. */
#ifndef REX_TRACEE_TASK_H
#define REX_TRACEE_TASK_H

#include <sys/socket.h>

#include "base/base.h"

struct bytes;
struct code;
struct counters;
struct event;
struct fast;
struct field;
struct frame;
struct known_files;
struct program_filter;
struct names;
struct task_log;
struct sites;
struct sockaddr_storage;
struct user_regs_struct;

/* External descriptors of a process; those not listed are plain or internal. */
struct external { int fd; uint32_t stream; };

/* See track/pipe_turns.c, track/arrival_order.c, replay/net/internal.c, track/pipes.c. */
enum { BOUNDED_FILE = -6, PIPE_WRITTEN = -5, PIPE_ARRIVES = -4, SOCKET_INSIDE = -3, PIPE_BYTES = -2, PIPE_COUNTER = -1 };
#define SHARED_FILE 0xc0000000u                     /* and on, up to those: a file that others may write, see track/shared_files.c */
struct opened { struct event *event; uint64_t file; bool again; uint32_t listed; };  /* again: the log has the open once less */

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
    uint64_t scratch, own_memory;    /* the second: bytes that the limit of memory is raised by, see tracee/own_memory.c */
    bool undumpable;                 /* as the program set it, see tracee/process_options.c */
    unsigned queries;                /* and plain calls that stopped */
    struct loader { uint64_t at, code, code_size; } loader;   /* 0: none whose readings of the counter are passed over */
    const struct code *code;         /* of a library that is being mapped, see cpu/rdrand.c */
    uint64_t code_inode;
    unsigned code_looks;
    bool filter_due;                 /* one lies in its area, and is not yet in force */
    struct fast *fast; struct sites *sites; struct frame *frames;   /* the second of its program; what is known of its functions */
    struct counters *counters; struct known_files *files; struct names *names;   /* see cpu/counter_sites.c; callstack/callstack.c; callstack/go_symbols.c */
};
enum regime { ONE_THREAD, THREADS, MEMORY_GROUP, SERIALIZED };
enum call_state { CALL_NONE, CALL_ENTERED, CALL_IGNORED };

/* State of a task that only one module needs is in a struct of that module. */
enum module_state { RECORD_STATE, LIVE_STATE, TURNS_STATE, CLOCK_STATE, TASKS_STATE, SIGNALS_STATE, WAIT_STATE,
                    FILES_STATE, NET_STATE, PIPES_STATE, PROGRESS_STATE, TRACK_STATE, CPU_STATE, ENGINE_STATE, REGIME_STATE, EXPLAIN_STATE, RING_STATE,
                    MODULE_STATES };

struct usage { ull ran, waited; };       /* of a processor, ns */

struct task {
    pid_t tid;
    uint32_t index;
    struct task *leader;             /* the task that names the process */
    int threads;                     /* of a leader: live tasks of the process */
    bool threaded;                   /* of a leader: it has had threads since its last exec */
    bool from_threads, joins_turns;  /* of a leader: forked by a process with threads, it has its descriptors by their race; by its first thread */
    enum regime regime;              /* of a leader, see regime.c */
    bool order_given_up;             /* of a leader: an event happened before what the log has first */
    struct files *files;
    struct space *space;
    bool no_new_rights;              /* as the program set it, see tracee/process_options.c */
    const struct program_filter *filter;     /* see engine/program_filter.c */
    struct task *next;
    bool alive, started, stepping, runs_freely;   /* the last: only calls of the filters stop it */
    /* the call in progress */
    enum call_state state;
    bool want_exit, by_entry_stop;
    struct user_regs_struct regs;    /* at entry */
    long nr;
    uint64_t args[6];
    uint32_t stream, deref;
    char *path, *path2;
    uint64_t returned_at;            /* instruction after the call of the last event, 0 after others */
    /* replay */
    struct task_log *task_log;           /* what the log holds for this task */
    struct event *matched;
    struct event *injected;          /* a signal on its way */
    bool lost_reader;                /* its signal is not to come: it had none when recorded */
    bool only_waits;                 /* more often than in the log, or without a result: it waits for others */
    bool waits_inside, wait_ended;   /* for what is ready inside; is to go on with what the log has ready outside */
    struct event *outside;           /* that its wait ends with, once that has come */
    struct event *fruitless;           /* the wait that it makes, which ran out when recorded */
    bool inside;                     /* the call is on a socket that is made again, see replay/net/internal.c */
    bool held, blocked;              /* at a stop until its turn comes; in pause, as the call does not end here */
    void (*then)(struct task *t, int64_t result);   /* of a call that was put before the task's own */
    uint64_t watched;                /* descriptors whose calls stop by filter */
    int watches;                     /* how many filters that took */
    char *cwd;                       /* of a leader */
    int stat_fd;                     /* of task_state */
    /* live */
    char *loader;                    /* of a program that is being executed */
    uint64_t ring;                   /* where its ring is in the tracee, 0 = it has none */
    bool has_locks;                  /* replay: it shares memory with others, where locks may be: its end is seen */
    uint8_t end_watched;             /* it stops as it ends, for these reasons */
    bool ring_busy;                  /* it was stopped half way through a query */
    uint32_t ring_taken;             /* record: how much was seen while the task ran on */
    ull last_stop;
    /* record */
    bool shares;                     /* its call is one on a shared file */
    /* one task at a time */
    bool parked;                     /* at a stop, until it has the turn */
    bool rewound;                    /* its last call: it will be made again */
    bool restarts;                   /* at once, unless a signal comes first */
    bool listening, vforking;        /* stopped by job control; until its child executes */
    void **module_states;             /* see module_state() */
};
static inline bool has_module_state(const struct task *t, enum module_state module)
{
    return t->module_states[module];
}

/* All zero at first; it goes with the task. */
static inline void *module_state(const struct task *t, enum module_state module, size_t size)
{
    void **at = &t->module_states[module];
    return *at ? *at : (*at = zalloc(size));
}

struct stack { uint64_t at; struct bytes image; };

/* What is blocked meanwhile: a trap that is would lose its handler. */
#define ALL_BUT_TRAPS (~(1ULL << (SIGTRAP - 1)))
enum { END_WITH_RING = 1, END_WITH_LOCKS = 2, END_IN_WRITE = 4 };
struct address { struct sockaddr_storage a; socklen_t n; };  /* as the program knows it */

/* The standard output and error.  Record: the order of what goes out, see record/output_order.c. */
static inline bool is_output(uint32_t stream)
{
    return stream == 2 || stream == 3;
}

#endif

/* replay/index: the log as a replay needs it.
 * Each record is an event; the events of one task are its task log; events that are equal for a
 * matcher stand in one queue. */
#ifndef REX_REPLAY_INDEX_INDEX_H
#define REX_REPLAY_INDEX_INDEX_H

#include "base/base.h"
#include "engine/engine.h"

struct observer;
struct record;
struct repeats;
struct task;

/* Replay: the index of a log.  An event is one record; a task log has the events of one task. */
struct event {
    const struct record *record;
    uint64_t key;
    uint32_t number, shown;          /* of its record; for users, who count each call of a record */
    struct repeats *repeats;         /* several calls: the event is the next of them, and done after the last */
    bool done, ordered, looked_up;
    bool unseen;                     /* ordered, but of a file that no other process can see: see replay/order/private_files.c */
    bool idle;                       /* waiting over and over does as much, see replay/progress/deadlock.c */
    bool aside;                      /* done from the start: what is between processes comes about by itself */
    bool unsent;                     /* a sleep that a signal ended was over before that signal was sent, see replay/signals/delivery_point.c */
    bool unsaid;                     /* done, but not yet sent to an external server: see replay/net/conversations.c */
    char *file;                      /* once looked up: what stands in, of opens for reading */
    struct event *next[4];           /* in the queues of equal events, see replay/index/index.h */
    enum { NOT_KNOWN, IS_KEPT, IS_CHANGED, IS_DIVIDED } change;     /* of a file: by the experiment; by threads */
    uint64_t seen_by;                /* of what is ordered: by which processes, as far as bits distinguish them */
    uint32_t written;                   /* bytes of an output that went out */
    uint32_t run;                    /* of answers laid ahead: the number of the last that it was in */
    struct task *taker;              /* whose call it answers, or answered */
    struct event *before;            /* what another must have done: replay/pipes/pipes.c, record/passed_descriptors.c */
};

/* The last CLOCK_MONOTONIC value that its runtime got, and when, by our clock; how much less that is than when recorded, modulo 2^64;
 * where the log goes on: see replay/clock/scheduler_clock.c. */
struct runtime { uint64_t now; ull at; uint64_t less; size_t next; };

struct task_log {
    struct event **event;
    struct event *answered, *did;    /* the last of them that its task came for, and the last of these but for queries */
    struct event *reached;           /* the same, but for clock readings before waits, which come as often as threads collide */
    const struct event *said;        /* the last output that its task wrote to the end */
    struct event *exit;
    size_t count, cursor, execs;
    size_t signals_to;               /* the last before there is a signal */
    size_t readings_to;              /* all that is left from the cursor to there are clock readings */
    size_t done_to, past;            /* all before is done; of the time it is over: see replay/regime/one_active_thread.c */
    size_t others_at;                /* of a leader: see replay_others_next */
    struct runtime runtime;          /* of a leader */
    uint32_t *moves;                 /* see replay/progress/deadlock.c */
    size_t move_count;
    const struct record *birth;
    const struct event *last_end;    /* of a leader: the last in the log that reports a child's end and was taken before its turn */
    const struct record *awaited;    /* of a member of a memory group: the wait that reported its end to its parent */
    const struct event *killer;      /* see replay/signals/sigkill.c */
    bool awaited_known, killer_known;   /* it has been looked for */
    bool moves_found;
    uint32_t index, tid, tgid;
    uint32_t step_tasks;             /* of a step: how many of its tasks live */
    uint32_t memory_group;                    /* the same number in all processes that share memory, 0 = none */
    uint8_t sent[64];
    uint64_t suspend, resume;        /* of a leader, a bit for each signal: see replay/signals/gc_suspend.c */
    ull clock_at, tsc_at, sent_at;
    bool has_threads;                /* of a leader: its process makes some */
    bool is_again;                   /* the same: what it had is there once more */
    bool is_end_reported;                    /* the same: its parent has had the signal of its end */
    bool is_taken;                   /* see replay/tasks/pool_children.c: some task has this name */
    enum { END_UNKNOWN, END_BY_ITSELF, END_BY_OTHERS } end;
};

/* Replay: queues of equal events, by a hash of what they are equal in. */
/* Equal in task, call and key; in where the answer went; in process and caller; and in what that thread had done last. */
enum { PLAIN, EXACT, CALLER, AFTER };

/* last: the last that was taken in order; latest: of clocks, the last in the log that was taken; ahead: those before it are
 * over for the thread, though some are left to other places.
 * asked, limits, waits: of a caller, how often, and how often before a wait until a point in time, and before or after one for readiness.
 * met, missed: of a caller in a thread, how often the log had it in a replay, and how often not. */
struct queue { uint64_t id; size_t count; struct event *first, *head, *tail, *last, *latest, *ahead; size_t asked, limits, waits; uint32_t met, missed; };

/* done.c */
bool is_clock(long nr), is_timed(long nr);             /* clock_gettime; that, gettimeofday or a reading of the counter */
void replay_done(struct event *e), replay_took(struct event *e, uint32_t calls);
void replay_put_aside(struct event *e);  /* nobody needs it */
extern uint64_t replay_progress, replay_events_taken;  /* how many events have happened that are not idle; and how many in all */

/* queues.c */
void queues_grow(void);
uint64_t queue_id(const struct task_log *s, long nr, uint64_t key, uint64_t exact);
struct queue *queue_at(uint64_t id);  /* one with id 0 if there is none */
void queue_add(struct event *e, uint64_t id, int kind);
struct event *queue_left(struct queue *q, int kind);
struct event *queue_left_since_effect(const struct task_log *s, struct queue *q);
bool queues_near(const struct task_log *s, uint64_t key, uint64_t place, struct event **best);  /* the first unused gettimeofday reading near that place; false: none ever */

/* record_facts.c */
bool replay_is_output(uint32_t stream, long nr);
mode_t replay_stat_kind(const struct event *e);  /* of what a stat described, 0: it failed, or is no stat */
bool replay_is_pipe_stat(const struct event *e);
int64_t replay_waited(const struct record *r);  /* see replay/tasks/child_waits.c */
bool replay_is_pace(long nr);  /* how often such calls are made need not be as in the log */
uint64_t clock_of(const struct record *r);  /* ns that a clock answered */
bool replay_executes(const struct record *r);  /* another program, with success */
siginfo_t replay_siginfo(const struct record *r);  /* of a signal: the log was checked as it was loaded */
bool replay_is_fault(int sig);
bool replay_is_signal(const struct event *e);  /* one that nothing in the task itself causes */
struct stat replay_stat_in(const struct record *opened);
mode_t replay_kind_of(const struct record *opened);  /* S_IFREG or another, 0 if the log does not say */
bool replay_is_deleted(const char *resolved);

/* task_log.c */
void log_load(const char *path);
struct task_log *task_log_of(uint32_t task);
uint32_t task_log_total(void);
struct task_log *task_log_named(uint32_t tid);
struct task_log *task_log_leader(uint32_t task);
size_t task_log_place(const struct task_log *s, const struct event *e);
uint32_t event_shown(const struct event *e);  /* its number for users; NULL: after the last */
struct task_log *task_log_child(uint32_t parent, uint32_t ordinal);
extern const struct observer task_log_observer;
extern struct event *events;
extern size_t event_count;
extern const struct record **turn_records;           /* where the turn passed on, in order */
extern size_t turn_record_count;

/* position.c */
bool replay_child_looks(const struct task *t);  /* a wait for a child that ends at once */
const struct event *replay_ahead_of(struct task *t);  /* the first that is left from there on */
size_t replay_place(struct task *t);  /* where it is in its task_log: no earlier than that */
struct event *replay_event_after(struct task *t, const struct event *e);    /* in the log of its task; itself, if it stands for more calls than the next */
bool replay_is_taken(const struct task *t, const struct event *e);
bool replay_is_sibling(const struct task *t, const struct task_log *s);  /* may take its answers */
struct event *replay_next(struct task *t);  /* the first event of the task that is left */

#endif

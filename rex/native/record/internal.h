/* record: what its files share with each other only. */
#ifndef REX_RECORD_INTERNAL_H
#define REX_RECORD_INTERNAL_H

#include "base/base.h"
#include "log/log.h"
#include "log/repeats.h"
#include "tracee/task.h"

struct bytes;
struct record;
struct rex_call;
struct rusage;
struct stat;
struct task;
/* The state that this module keeps for each task. */
struct record_state {
    const struct task *greeter;          /* of a leader: the thread that began its last connection by TLS */
    int exec_refused;
    bool goes_on;                        /* the kernel goes on with the call that is pending, after a signal without a handler */
    unsigned char siginfo[sizeof(siginfo_t)];
    bool waited_until;                   /* since it read a clock it waited until a point in time */
    uint64_t turn;                       /* what it writes to one at a time with others, 0 = nothing: see output_order.c */
    bool has_turn;
    struct deferred *deferred;           /* a signal that is held back, see signals.c */
    uint64_t last_in_ring[LARGEST_REPEATED / 8];   /* the last record of what was taken from there, see ring_events.c */
    int last_signal;                     /* that was delivered, and where */
    uint64_t last_signal_rip;
    uint32_t children;                   /* ordinal of the next child */
    struct log_place place;              /* in the log, of the event of its call: see cause_order.c */
    bool changes, removes;               /* its call changes the directory tree; takes a name away */
    ino_t moved;                         /* what that makes, or gives another name */
    uint64_t changed;                    /* how many such calls had returned as its call began */
    bool has_timer;                      /* of a leader: one may be running */
    bool has_made;                       /* its ring knows files that it has made */
    bool executed;                       /* of a leader: it runs a program of its own */
    char *resolved, *resolved2;          /* the names of a call that changes the directory tree */
    bool created;                        /* what its call names is not there yet */
    char *creating;                      /* what is missing as the call that makes it begins */
    struct bytes exec;                   /* execve's fields, kept over the exec */
    char *exec_instead;                  /* what is executed in the program's place, NULL: itself */
    struct bytes pending;                /* an interrupted call that may be restarted; its event is not yet written */
};

static inline struct record_state *record_state(const struct task *t)
{
    return module_state(t, RECORD_STATE, sizeof(struct record_state));
}

/* auxv.c */
void auxv_opened(const char *path, uint32_t stream), auxv_read(struct task *t, struct bytes *b);  /* see record/auxv.c */

/* clock.c */
void record_reading(struct task *t, struct record *r), record_wait(struct task *t);  /* see record/clock.c */
void record_counter(struct task *t, bool with_aux, uint64_t *value, uint32_t *aux);

/* cause_order.c */
void cause_limit(struct task *t);  /* while a signal is held back, or a name is taken away, its queries stop */
void cause_begins(struct task *t), cause_returns(struct task *t), cause_logged(struct task *t), cause_ends(struct task *t);
void cause_found(const struct task *t, const char *path, ino_t ino);  /* before t's event, which finds that there; ino may be 0: unknown */
void cause_made(const struct task *t, const char *path);  /* before t's event, which has made that */
void cause_opened(struct task *t, const char *path, ino_t ino);  /* either of these, for an open */

/* answered_descriptors.c */
void record_answered(struct task *t, struct record *r);  /* of an external descriptor: what its new one is, which request it was */

/* descriptors.c */
bool duplicates_directory(struct task *t);
void record_duplicate(struct task *t, int64_t fd);
void record_channels(struct task *t);
void record_inherited(struct task *t, struct bytes *b);  /* from outside, by the first process: streams */
void record_inherited_files(struct task *t);  /* and plain files, as if it had opened them */
int record_refusal(const struct task *t, const struct rex_call *c);  /* the error, 0 = none */
mode_t kind_read_or_written(const struct task *t);  /* by its call: S_IFREG or another, 0 if it does neither */

/* files.c */
void record_report(void);                            /* what was used */
void record_read_only(struct task *t, const struct record *r);
uint32_t record_received(const char *path, const struct stat *st);
void record_outside(const struct stat *st);  /* one of the descriptors that the first process inherits */
void record_opened(struct task *t, int fd, struct bytes *b);
void record_before_change(const char *path, bool moves);  /* moves: with all that is below it */
uint32_t record_named_stream(const char *name, const struct stat *st, int flags);  /* 0 = none: it is a file of the experiment */
void record_created(const char *path), record_bound(struct task *t, struct bytes *b);
void record_use(const char *path, unsigned how, const struct stat *st);
void record_name_gone(void);  /* a name was taken away: its file's number may soon be another's */
void record_alias(const char *path);  /* a name on the way to what was used */
void record_use_alias(struct task *t, int dirfd, const char *given, const char *resolved);
bool record_is_kernel_made(const char *path);

/* hidden_places.c */
bool hidden_by_place(struct task *t, int dirfd, const char *path, bool follow, const char **found);

/* hidden.c */
int hidden_refusal(struct task *t);  /* the error of a call whose names lead to what is hidden, 0 = none */
int64_t hidden_list(struct task *t, int64_t n);
void hidden_kept_directory(const struct task *t, int64_t result);
void hidden_names_moved(struct task *t);
void hidden_opened(const struct stat *st);
void hidden_report(void);

/* growing_log.c */
void record_write_growing_log(void);  /* before a wait */

/* inherited.c */
void inherited_entry(struct task *t);
void inherited_state(struct task *t, struct bytes *b);  /* of a program that it executes, as text */

/* large_mappings.c */
bool record_result_comes(struct task *t);  /* at an entry-stop */
bool record_result(struct task *t, int64_t result);  /* at an exit-stop */
bool record_mapping(struct task *t);
bool record_mapped(struct task *t, int64_t result);

/* known_results.c */
void record_known_result(struct task *t);
void record_forked(struct task *t, const struct task *child, uint64_t flags);

/* output_order.c */
bool is_ordered_write(struct task *t);  /* one at a time is let in */
void writer_comes(struct task *t);  /* it begins such a write; it may be held */
void writer_goes(struct task *t);  /* it has written, or ended */
void speech_stops(const struct task *t);  /* a call stops: who writes without a stop no longer may, if it is another's */
void speech_went(struct task *t);  /* a call has ended that stopped: its next writes need not, maybe */

/* passed_descriptors.c */
void record_rights(struct task *t, struct bytes *b);

/* programs.c */
int record_stop_of(long nr, int stop);
void record_exec_entry(struct task *t);
void record_execed(struct task *t);
void record_exec_failed(struct task *t);
void record_refused(struct task *t);
void record_unread_memory(void);  /* says how much the kernel did not let us read */

/* ring_events.c */
void record_taken(struct task *t, const unsigned char *records, uint32_t n);

/* signals.c */
bool record_signal(struct task *t, int sig);
bool record_deferred_comes(struct task *t, bool external);
bool record_awaits_call(struct task *t);
void record_forget_deferred(struct task *t);
void record_stepped(struct task *t);
void record_delivery(struct task *t, bool restarted, enum moment moment);

/* sockets.c */
void record_greeting(struct task *t, struct bytes *b);
void record_ends(struct task *t, struct record *r, uint32_t listener);

/* tasks.c */
void record_born(struct task *parent, struct task *t, uint64_t flags);
void record_ended(struct task *t, int status, const struct rusage *used);

/* tree.c */
void record_resolve_names(struct task *t);
void record_tree_entry(struct task *t);  /* its names are resolved */
void record_tree_exit(struct task *t, struct bytes *b, int64_t result);

#endif

/* mode: where record, replay and live differ.  Lower modules call these operations without knowing which mode answers.
 * struct mode is the one table of operations; main.c chooses it.  struct scheduler exists while one task runs at a
 * time.  struct observer is for modules that keep state for each task: main.c lists them. */
#ifndef REX_MODE_MODE_H
#define REX_MODE_MODE_H

#include "base/base.h"

struct bytes;
struct files;
struct rusage;
struct space;
struct task;

/* What names mean where they are not the kernel's: files of a live run. */
struct names_of_run {
    char *(*logical)(const char *physical);            /* the name that the run knows a file by */
    char *(*physical)(const char *logical);            /* where its content lies; NULL: nowhere */
    int (*resolve)(struct task *t, int dirfd, const char *path, bool follow, char **resolved);    /* 0 or a negative error */
    int (*stat)(const char *logical, struct stat *st); /* 0 or -1 */
    bool (*stat_fd)(struct task *t, int fd, struct stat *st);    /* false: st is right as the kernel filled it */
    int (*describe)(struct task *t, char kind, const char *path, struct bytes *into);    /* see live/describe.c */
};

struct mode {
    const char *name;                                  /* as the plan has it */
    bool logs, replays;                                /* a log is written; answers come from one */
    bool is_patient;                                   /* it settles only after reports, unless next_look_ns says otherwise */
    bool is_fast;                                      /* calls may be logged or answered without a stop */
    const struct names_of_run *names;                  /* NULL: names are the kernel's */
    void (*begin)(void);                               /* before the first tracee */
    void (*finish)(void);                              /* after the last one */
    void (*child_setup)(void);                         /* in the first tracee, before its exec */
    int (*stop_of)(long nr, int stop);                 /* when a call stops: enum rex_stop; stop: as the table has it */
    void (*entry)(struct task *t);
    void (*exit)(struct task *t, int64_t result);
    void (*born)(struct task *parent, struct task *t, uint64_t flags);
    void (*execed)(struct task *t);
    bool (*signal)(struct task *t, int sig);           /* true: deliver it */
    void (*stepped)(struct task *t);
    void (*ended)(struct task *t, int status, const struct rusage *used);
    void (*tsc)(struct task *t, bool with_aux, uint64_t *value, uint32_t *aux);
    uint64_t (*random)(struct task *t);
    void (*start)(struct task *t);                     /* its first stop */
    void (*settle)(void);                              /* after each report of the kernel */
    void (*idle)(void);                                /* no report for a while */
    void (*leaves)(struct task *t);                    /* it ends, and is watched so */
    void (*stopped)(void);                             /* the first tracee has stopped, as by a terminal */
    void (*cancel)(void);                              /* SIGTERM; NULL: it is for the program */
    void (*before_wait)(void);
    ull (*next_look_ns)(void);                         /* how soon to settle without a report, see LOOKS_OFTEN_NS; 0: there is no need */
    void (*taken)(struct task *t, const unsigned char *records, uint32_t n);   /* in its ring; replay: n bytes */
    void (*ready)(struct task *t);                     /* it is about to go on */
    bool (*all_calls)(struct task *t);                 /* whether each of its calls is to stop */
    bool (*follows_arrivals)(const struct task *t);    /* NULL: of every process, see track/arrival_order.c */
};
extern const struct mode *run_mode;

/* A log is written or followed: what the kernel and the processor answer counts. */
static inline bool uses_log(void)
{
    return run_mode->logs || run_mode->replays;
}

/* The next looks: soon, as a pipe may be ready; soon, as a task may wait for another; now and then. */
enum { LOOKS_OFTEN_NS = 200000, LOOKS_SOON_NS = 1000000, LOOKS_SELDOM_NS = 10000000 };

/* Only one task runs at a time: see turns/. */
struct scheduler {
    void (*first)(struct task *t);                     /* the first task is there */
    bool (*holds)(struct task *t);                     /* at an entry: true, it waits before the mode sees the call */
    void (*entered)(struct task *t);                   /* the mode has seen the call */
    void (*returned)(struct task *t, bool cut);
    void (*answered)(struct task *t);                  /* what a fault queried, instead of a call */
    bool (*interrupted)(struct task *t);               /* true: it has gone on by itself */
    bool (*parks)(struct task *t, int sig);            /* true: it is not to be resumed now */
    void (*settle)(void);
    void (*idle)(void);
    long (*beat_ns)(void);
};
extern const struct scheduler *scheduler;              /* NULL: tasks run as they like */

static inline bool is_serialized(void)
{
    return scheduler;
}

/* What a module does as a task changes; members may be NULL. */
struct observer {
    void (*space_copied)(struct space *to, const struct space *from);    /* a process was forked */
    void (*area_mapped)(struct task *t);               /* the area of the fast path is there */
    void (*threads_began)(const struct task *leader);
    void (*files_changed)(const struct files *f);      /* what is external or watched among them */
    void (*program_gone)(struct task *t);              /* it executes, or has ended */
    void (*executed)(struct files *f);
    void (*ended)(struct task *t);
    void (*freed)(struct task *t);                     /* nothing refers to it any more */
};
extern const struct observer *const *observers;        /* up to a NULL */

#define TELL_OBSERVERS(event, ...) \
    for (const struct observer *const *o_ = observers; o_ && *o_; o_++) \
        if ((*o_)->event) \
            (*o_)->event(__VA_ARGS__)

#endif

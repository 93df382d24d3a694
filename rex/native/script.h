/* Replay: the index of a log.  An event is one record; a script has the events of one task. */
#ifndef REX_SCRIPT_H
#define REX_SCRIPT_H

struct event {
    const struct record *record;
    uint64_t key;
    uint32_t number;
    bool done, ordered, looked_up;
    bool unseen;                     /* ordered, but of a file that no other process can see: see replay_unseen.c */
    bool idle;                       /* waiting over and over does as much, see replay_stuck.c */
    bool aside;                      /* done from the start: what is between processes comes about by itself */
    bool unsent;                     /* a nap that a signal cut short was over before that was sent, see replay_moments.c */
    bool unsaid;                     /* done, but not yet said to a server outside: see replay_talks.c */
    char *file;                      /* once looked up: what stands in, of opens for reading */
    struct event *next[4];           /* in the queues of equal events, see queues.h */
    enum { NOT_KNOWN, IS_KEPT, IS_CHANGED, IS_DIVIDED } change;     /* of a file: by the experiment; by threads */
    uint64_t seen_by;                /* of what is ordered: by which processes, as far as bits tell them apart */
    uint32_t told;                   /* bytes of an output that went out */
    uint32_t run;                    /* of answers laid ahead: the number of the last that it was in */
    struct task *taker;              /* whose call it answers, or answered */
    struct event *before;            /* what another must have done: replay_pipes.c, rights.c */
};

/* What its runtime was told last of CLOCK_MONOTONIC, and when, by our clock; how much less that is than when recorded, modulo 2^64;
 * where the log goes on: see replay_runtime.c. */
struct runtime { uint64_t now; ull at; uint64_t less; size_t next; };

struct script {
    struct event **event;
    struct event *answered, *did;    /* the last of them that its task came for, and the last of these but for queries */
    const struct event *said;        /* the last output that its task wrote to the end */
    struct event *exit;
    size_t count, cursor, execs;
    size_t signals_to;               /* the last before there is a signal */
    size_t readings_to;              /* all that is left from the cursor to there tells the time */
    size_t done_to, past;            /* all before is done; of the time it is over: see replay_alone.c */
    size_t others_at;                /* of a leader: see replay_others_next */
    struct runtime runtime;          /* of a leader */
    uint32_t *moves;                 /* see replay_stuck.c */
    size_t move_count;
    const struct record *birth;
    const struct event *last_end;    /* of a leader: the last in the log that tells of a child's end and was taken before its turn */
    const struct record *awaited;    /* of one of kin: the wait that told its parent of its end */
    const struct event *killer;      /* see replay_killed.c */
    bool awaited_known, killer_known;   /* it has been looked for */
    bool moves_found;
    uint32_t index, tid, tgid;
    uint32_t step_tasks;             /* of a step: how many of its tasks live */
    uint32_t kin;                    /* the same number in all processes that share memory, 0 = none */
    uint8_t sent[64];
    uint64_t suspend, resume;        /* of a leader, a bit for each signal: see replay_suspend.c */
    ull clock_at, tsc_at, sent_at;
    bool has_threads;                /* of a leader: its process makes some */
    bool is_again;                   /* the same: what it had is there once more */
    bool is_told;                    /* the same: its parent has had the signal of its end */
    bool is_taken;                   /* see replay_jobs.c: some task has this name */
    enum { END_UNKNOWN, END_BY_ITSELF, END_BY_OTHERS } end;
};

#endif

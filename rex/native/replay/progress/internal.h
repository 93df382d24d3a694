/* replay/progress: what its files share with each other only. */
#ifndef REX_REPLAY_PROGRESS_INTERNAL_H
#define REX_REPLAY_PROGRESS_INTERNAL_H

#include "base/base.h"
#include "replay/progress/progress.h"
#include "tracee/task.h"

struct task;

/* What this room keeps of a task. */
struct progress_state {
    struct wait_end end;                 /* of its wait */
    struct usage usage;                  /* of a processor, when deadlock.c last looked */
    struct { const struct event *event; ull ran; } rest;     /* see ordering_sleeps.c */
};

static inline struct progress_state *progress_state(const struct task *t)
{
    return module_state(t, PROGRESS_STATE, sizeof(struct progress_state));
}

/* stillness.c: since no event has happened that is not idle */
struct stillness {
    uint64_t progress;
    ull since, slept, noted;             /* for how long all slept, as far as it was noted; when that was */
    bool all_sleep, begun;               /* when noted last; its deadlock.c has looked */
    ull looked, waited, ran, wanted, pause;      /* of deadlock.c: for how long all waited, computed, wanted to; the longest pause in the log */
    ull busiest, spun;                   /* for how long one task at a time computed; the same and we, since any event happened, also an idle one */
    uint64_t taken;                      /* the events that had happened when it looked last, idle ones too */
    ull had;                             /* for how long all had computed as it looked last */
};
struct stillness *replay_stillness(void);
ull replay_unmoved_for(void);

#endif

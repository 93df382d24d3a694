/* engine: what its files share with each other only. */
#ifndef REX_ENGINE_INTERNAL_H
#define REX_ENGINE_INTERNAL_H

#include "base/base.h"
#include "tracee/task.h"

#include <linux/filter.h>

struct rusage;
struct task;

/* What this room keeps of a task. */
struct engine_state {
    uint64_t watch_due;                  /* the descriptors of the next filter */
    uint32_t trapped;                    /* what a filter of its own said with its trap */
};

static inline struct engine_state *engine_state(const struct task *t)
{
    return module_state(t, ENGINE_STATE, sizeof(struct engine_state));
}

/* filter.c */
#define EVERY_DESCRIPTOR (~0ULL)
/* Kernels before 5.16 else slow the program down as they would one that does not trust itself. */
#define AT_FULL_SPEED SECCOMP_FILTER_FLAG_SPEC_ALLOW
struct sock_fprog filter_build(uint64_t descriptors);  /* the first filter without any, else a later one for these */
void filter_install(void);

/* placement.c */
void place_start(void);  /* before there are tracees */
void place_stopped(const struct task *t);
void place_rest(bool rests);  /* around a wait for reports */

/* program_filter.c */
enum { CALL_KILLS = 0x3ffffff0, CALL_KILLS_THREAD, CALL_TRAPS };     /* numbers that no call has: what Rex's filter does with them */
bool program_filter_refuses(struct task *t);  /* at an entry-stop; true: this is not the mode's */
void program_filter_trapped(struct task *t);  /* at the stop of a SIGSYS */

/* spawn.c */
extern pid_t spawned;                                /* the first tracee */
extern volatile sig_atomic_t spawn_forwarded;        /* a signal that is to be passed on to it, 0 = none */
void spawn(void);

/* wait_in_turn.c */
pid_t next_report(int *status, int options, struct rusage *used);

#endif

/* replay/tasks: what its files share with each other only. */
#ifndef REX_REPLAY_TASKS_INTERNAL_H
#define REX_REPLAY_TASKS_INTERNAL_H

#include "base/base.h"
#include "tracee/task.h"

struct event;
struct task_log;
struct task;
/* The state that this module keeps for each task. */
struct family_state {
    bool is_nameless;                    /* its name shows as it executes */
    bool is_skipped;                     /* a step that does not run */
    struct task_log *step;               /* the step that it belongs to */
    struct task *newborn, *maker;        /* see pool_children.c: the process it makes, who makes it */
    uint32_t next_thread, next_process;  /* ordinals of its children, by their kind */
    uint64_t child_tid_at;
};

static inline struct family_state *family(const struct task *t)
{
    return module_state(t, TASKS_STATE, sizeof(struct family_state));
}

/* memory_groups.c */
void replay_group_named(struct task_log *s);
void replay_group_born(struct task *parent, struct task *t, uint64_t flags);
bool replay_group_waits(struct task *t, const struct event *e, int64_t logged);

/* pool_children.c */
bool replay_is_of_jobs(long nr);  /* makes a process, or waits; for this one, by its number */
struct task_log *replay_job_born(struct task *parent, struct task *t, uint64_t flags);

/* workflow_steps.c */
void replay_step_ended(struct task *t, const struct task_log *step);    /* t was the last task of it */
bool replay_step_skipped(struct task *t);  /* queries whether the step that t begins is to run */
bool replay_is_step(const struct task_log *s);

/* internal_signals.c */
bool replay_inside_kill(struct task *t);  /* true: it runs */

#endif

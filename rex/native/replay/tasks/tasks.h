/* replay/tasks: which live task is which recorded task.
 * Children of thread pools, processes that share memory (memory groups), waits for the ends of children. */
#ifndef REX_REPLAY_TASKS_TASKS_H
#define REX_REPLAY_TASKS_TASKS_H

#include "base/base.h"

struct bytes;
struct event;
struct record;
struct rusage;
struct task;

/* child_waits.c */
bool replay_waits_for_same(const struct task *t, const struct event *e);
void replay_child_wait(struct task *t, struct event *e), replay_child_wait_freely(struct task *t), replay_child_reported(struct task *t, int64_t result);
void replay_child_ended(struct task *t, const struct record *r);  /* its outputs */

/* memory_groups.c */
bool replay_group_kill(struct task *t);
bool replay_group_ends_first(const struct task *t, const struct event *e);
bool replay_group_pauses(struct task *t, struct event *e);  /* true: it runs */
bool replay_group_wakeup(struct task *t);  /* true: it has been answered */
bool replay_group_signal(struct task *t, siginfo_t *info);
bool replay_group_is_past(struct task *t, const struct event *e);

/* memory_names.c */
void replay_group_files_start(void);
bool replay_is_memory(const char *path);
void replay_group_opened(struct task *t, const struct record *r);  /* see replay/tasks/memory_names.c */

/* pool_children.c */
bool replay_waits_alike(const struct task *t, const struct event *e);
struct event *replay_job_event(struct task *t, long nr);  /* a call that makes a process, or waits for one: see replay/tasks/pool_children.c */
struct event *replay_job_prepares(struct task *t, long nr, uint64_t key);
struct task *replay_job_waited(struct task *t, uint32_t recorded);  /* living or not */
bool replay_is_nameless(const struct task *t);    /* its name shows as it executes */
bool replay_is_job_left(struct task *t, const struct event *e);
bool replay_job_executes(struct task *t, const struct bytes *arguments);  /* of its program, by their recorded names; true: the call comes again */
struct event *replay_job_made(struct task *t, struct event *e);

/* tasks.c */
struct task *replay_task_of(pid_t real);  /* living or not; NULL = unknown */
uint32_t replay_recorded(pid_t real);  /* the number that it had; 0 = unknown */
pid_t replay_dead(uint32_t recorded_tid);  /* real number of a child that has ended, 0 = unknown */
struct task *task_named(uint32_t recorded_tid);
void replay_born(struct task *parent, struct task *t, uint64_t flags);
void replay_take_number(struct task *t);
void replay_began(struct task *t);
bool replay_is_skipped(const struct task *t);    /* a step that does not run */
void replay_ended(struct task *t, int status, const struct rusage *used);

/* workflow_steps.c */
void replay_steps_start(void);

/* internal_signals.c: between processes of an experiment whose connections are made again */
int64_t replay_inside_broken(struct task *t);  /* who is spoken to has gone */
void replay_inside_signals_start(void);
bool replay_inside_signal(struct task *t, siginfo_t *info);

#endif

/* replay/tasks: what its files share with each other only. */
#ifndef REX_REPLAY_TASKS_INTERNAL_H
#define REX_REPLAY_TASKS_INTERNAL_H

#include "base/base.h"

struct event;
struct script;
struct task;

/* memory_groups.c */
void replay_kin_named(struct script *s);
void replay_kin_born(struct task *parent, struct task *t, uint64_t flags);
bool replay_kin_waits(struct task *t, const struct event *e, int64_t logged);

/* pool_children.c */
bool replay_is_of_jobs(long nr);  /* makes a process, or waits; for this one, by its number */
struct script *replay_job_born(struct task *parent, struct task *t, uint64_t flags);

#endif

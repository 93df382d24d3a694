/* engine: the loop over the kernel's reports of stops.
 * Spawns the program, takes each report, decodes the stop and calls the mode; installs the seccomp filters; pins
 * tracees to processors. */
#ifndef REX_ENGINE_ENGINE_H
#define REX_ENGINE_ENGINE_H

#include "base/base.h"

struct rusage;
struct task;

/* loop.c */
void go_on_entering(struct task *t);  /* the handler's part of an entry-stop */
void take_report(pid_t tid, int status, const struct rusage *used);  /* of wait4 */
void take_ended(const struct task *t);  /* its siblings that have */
int trace(void);  /* wait status of the first process */

/* placement.c */
void place_opened(const char *path, uint32_t stream);
void place_asked(const struct task *t);

/* watch.c */
bool filter_watch(struct task *t);  /* true: the stop is used for that */

#endif

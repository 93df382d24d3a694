/* replay/ipc: System V IPC, process_vm_*, futexes with priority inheritance, robust futexes. */
#ifndef REX_REPLAY_IPC_IPC_H
#define REX_REPLAY_IPC_IPC_H

#include "base/base.h"

struct event;
struct task;

/* pi_futex.c */
bool replay_lends(const struct task *t);  /* a lock that lends priority: see replay/ipc/pi_futex.c */
bool replay_lend_begins(struct task *t), replay_lend_exit(struct task *t, int64_t *result);
void replay_lend(struct task *t);
bool replay_waits_by_wall(const struct task *t);

/* process_vm.c */
void replay_peer(struct task *t, struct event *e);  /* see replay/ipc/process_vm.c */
bool replay_peer_freely(struct task *t);

/* robust_futex.c */
void replay_leaves_locks(struct task *t);

/* sysv_ipc.c */
void replay_ipc_start(void), replay_ipc_finish(void);
void replay_ipc(struct task *t, struct event *e);
void replay_ipc_exit(struct task *t, struct event *e, int64_t result);
bool replay_ipc_freely(struct task *t);  /* what the log does not have; false: nor can it run */

#endif

/* System V IPC: see ipc.c and replay_ipc.c. */
#ifndef REX_IPC_H
#define REX_IPC_H

enum ipc_kind { IPC_MEMORY, IPC_SEMAPHORES, IPC_MESSAGES };
enum ipc_kind ipc_kind(long nr);
bool ipc_gets(long nr);                              /* the number of one by its key, or makes it */
bool ipc_operates(long nr);                          /* on semaphores */
int ipc_command(long nr, const uint64_t *args);      /* of a call that controls one, -1 of others */
bool ipc_sets(long nr, const uint64_t *args);        /* values of semaphores */
void record_ipc_entry(struct task *t);
void record_ipc(struct task *t, struct bytes *b, int64_t result);    /* what is added to the event of such a call */
void replay_ipc_start(void), replay_ipc_finish(void);
void replay_ipc(struct task *t, struct event *e);
void replay_ipc_exit(struct task *t, struct event *e, int64_t result);
bool replay_ipc_freely(struct task *t);              /* what the log does not have; false: nor can it run */

#endif

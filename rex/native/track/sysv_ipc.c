/* System V IPC: shared memory, semaphores and message queues, which have numbers of this machine.
 *
 * All calls on them are in the log but shmdt, and which of them the experiment made: a replay makes others in their
 * place (replay/ipc/sysv_ipc.c).  Of those that were there before the log has all that came from them: the messages, what
 * was in the memory as it was attached first, whether the semaphores let go on. */
#include "base/base.h"
#include "log/log.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"
#include "track/internal.h"
#include "track/track.h"

#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>

enum { MOST_KEPT = 1 << 28 };

/* ------------------------------------------------------------------ record */

static struct table known;               /* kind and number -> one of these */
static char made, foreign;

static char **known_as(const struct task *t, int64_t id)
{
    return (char **)table_at_file(&known, ipc_kind(t->nr), (uint64_t)id);
}

static bool is_there(const struct task *t)
{
    key_t key = (key_t)t->args[0];
    return (t->nr == REX_NR_shmget ? shmget(key, 0, 0) : t->nr == REX_NR_semget ? semget(key, 0, 0) : msgget(key, 0)) >= 0;
}

/* What another program writes to memory that it has attached cannot be seen. */
static void warn_of_other_user(struct task *t)
{
    struct shmid_ds info;
    char state = 'Z';
    if (*known_as(t, (int)t->args[0]) != &made || shmctl((int)t->args[0], IPC_STAT, &info) || task_of(info.shm_lpid))
        return;
    proc_value(info.shm_lpid, "stat", "%*d (%*[^)]) %c", &state);
    if (state != 'Z')
        log_note(t->index, "another program has attached shared memory %d: what it writes there is not in the recording", (int)t->args[0]);
}

void record_ipc_entry(struct task *t)
{
    if (ipc_gets(t->nr))
        track_state(t)->makes_ipc = (key_t)t->args[0] == IPC_PRIVATE || !is_there(t);
    if (t->nr == REX_NR_shmctl && t->args[1] == IPC_RMID)
        warn_of_other_user(t);
}

static bool takes(struct task *t)
{
    struct sembuf op;
    for (uint64_t i = 0; i < t->args[2] && mem_read(t->tid, t->args[1] + i * sizeof op, &op, sizeof op); i++)
        if (op.sem_op <= 0)
            return true;
    return false;
}

/* How many bytes a call that controls one reads or writes. */
static size_t control_size(struct task *t)
{
    struct semid_ds set;
    int command = ipc_command(t->nr, t->args);
    bool is_limits = command == IPC_INFO;
    switch (t->nr) {
    case REX_NR_shmctl:
        return command == IPC_STAT || command == SHM_STAT || command == SHM_STAT_ANY ? sizeof(struct shmid_ds)
            : is_limits ? sizeof(struct shminfo) : command == SHM_INFO ? sizeof(struct shm_info) : 0;
    case REX_NR_msgctl:
        return command == IPC_STAT || command == MSG_STAT || command == MSG_STAT_ANY ? sizeof(struct msqid_ds)
            : is_limits || command == MSG_INFO ? sizeof(struct msginfo) : 0;
    case REX_NR_semctl:
        if (command == GETALL)
            return semctl((int)t->args[0], 0, IPC_STAT, &set) ? 0 : set.sem_nsems * sizeof(short);
        return command == IPC_STAT || command == SEM_STAT || command == SEM_STAT_ANY ? sizeof set
            : is_limits || command == SEM_INFO ? sizeof(struct seminfo) : 0;
    }
    return 0;
}

/* Memory that was there before is attached for the first time. */
static void keep_memory(struct task *t, struct bytes *b, uint64_t at)
{
    struct shmid_ds info;
    int id = (int)t->args[0];
    if (*known_as(t, id) || shmctl(id, IPC_STAT, &info))
        return;
    *known_as(t, id) = &foreign;
    ((struct record *)b->data)->args[5] = info.shm_segsz;
    if (info.shm_segsz <= MOST_KEPT)
        capture_block(t, b, 1, FIELD_OUT, at, info.shm_segsz);
    log_note(t->index, "shared memory %d is of another program: what that writes there from now on is not in the recording", id);
}

void record_ipc(struct task *t, struct bytes *b, int64_t result)
{
    struct shmid_ds left;                 /* memory is there until nobody has it any more */
    ((struct record *)b->data)->args[5] = ipc_operates(t->nr) && takes(t);
    if (result < 0)
        return;
    if (ipc_gets(t->nr) && track_state(t)->makes_ipc && *known_as(t, result) != &made) {
        *known_as(t, result) = &made;
        ((struct record *)b->data)->args[5] = true;
    }
    if (ipc_command(t->nr, t->args) == IPC_RMID && !(t->nr == REX_NR_shmctl && shmctl((int)t->args[0], IPC_STAT, &left) >= 0))
        *known_as(t, (int)t->args[0]) = NULL;
    int arg = t->nr == REX_NR_semctl ? 3 : 2;
    capture_block(t, b, arg, FIELD_OUT, t->args[arg], control_size(t));
    if (t->nr == REX_NR_shmat)
        keep_memory(t, b, (uint64_t)result);
    else if (t->nr == REX_NR_msgsnd)
        capture_block(t, b, 1, FIELD_IN, t->args[1], sizeof(long) + t->args[2]);
    else if (t->nr == REX_NR_msgrcv)
        capture_block(t, b, 1, FIELD_OUT, t->args[1], sizeof(long) + (size_t)result);
}

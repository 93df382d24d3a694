/* System V IPC calls, by number and arguments. */
#include "base/base.h"
#include "syscalls/syscalls.h"

#include <sys/ipc.h>
#include <sys/sem.h>

enum ipc_kind ipc_kind(long nr)
{
    switch (nr) {
    case REX_NR_shmget: case REX_NR_shmat: case REX_NR_shmctl:
        return IPC_MEMORY;
    case REX_NR_msgget: case REX_NR_msgsnd: case REX_NR_msgrcv: case REX_NR_msgctl:
        return IPC_MESSAGES;
    }
    return IPC_SEMAPHORES;
}

bool ipc_gets(long nr)
{
    return nr == REX_NR_shmget || nr == REX_NR_semget || nr == REX_NR_msgget;
}

bool ipc_operates(long nr)
{
    return op_of(nr) == REX_OP_SEMOP;
}

int ipc_command(long nr, const uint64_t *args)
{
    return nr == REX_NR_semctl ? (int)args[2] : nr == REX_NR_shmctl || nr == REX_NR_msgctl ? (int)args[1] : -1;
}

bool ipc_sets(long nr, const uint64_t *args)
{
    return nr == REX_NR_semctl && (args[2] == SETVAL || args[2] == SETALL);
}

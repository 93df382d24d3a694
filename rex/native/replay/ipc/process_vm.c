/* Replay: memory of another process of the experiment (process_vm_readv and _writev, by which MPI passes long messages).
 *
 * It is as it is here, once the message has come that announces it; only the number of the process differs.  So the kernel does it, also
 * where processes that share memory do it more or less often than when recorded. */
#include "base/base.h"
#include "log/log.h"
#include "replay/index/index.h"
#include "replay/ipc/ipc.h"
#include "replay/send/send.h"
#include "replay/tasks/tasks.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

/* Also where the log has no such call. */
bool replay_peer_freely(struct task *t)
{
    struct task *other = task_named((uint32_t)t->args[0]);
    struct user_regs_struct r = t->regs;
    if (!other)
        return false;
    r.rdi = (ull)other->tid;
    regs_set(t, &r);
    t->want_exit = true;
    return true;
}

void replay_peer(struct task *t, struct event *e)
{
    if (e->record->result < 0 || !replay_peer_freely(t))
        replay_emulate(t, e);
}

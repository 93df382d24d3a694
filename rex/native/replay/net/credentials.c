/* Replay: process ids in messages between processes of the experiment (SCM_CREDENTIALS), and of the peer of a socket (SO_PEERCRED).
 *
 * The kernel wants the real ones, and whoever sends names itself as the log has it: the engine puts the real number into the message as
 * it is sent, and the recorded one as it is received.  Likewise the users, where the replaying one may not name the recorded one. */
#include "base/base.h"
#include "log/log.h"
#include "replay/net/internal.h"
#include "replay/net/net.h"
#include "replay/tasks/tasks.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"
#include "track/track.h"

#include <sys/socket.h>

/* By real process id: the users that it named. */
struct named { pid_t pid; uid_t uid; gid_t gid; };
static struct named *named;
static size_t named_count;

static struct named *named_by(pid_t pid)
{
    for (size_t i = 0; i < named_count; i++)
        if (named[i].pid == pid)
            return &named[i];
    return NULL;
}

static void note_named(pid_t pid, const struct ucred *who)
{
    struct named *n = named_by(pid);
    if (!n) {
        named = grow(named, named_count, sizeof *named);
        n = &named[named_count++];
    }
    *n = (struct named){pid, who->uid, who->gid};
}

static bool to_real(struct ucred *who)
{
    struct task *t = task_named((uint32_t)who->pid);
    pid_t real = t ? t->leader->tid : replay_dead((uint32_t)who->pid);
    if (!real)
        return false;
    if (geteuid() && (who->uid != geteuid() || who->gid != getegid())) {
        note_named(real, who);
        who->uid = geteuid();
        who->gid = getegid();
    }
    who->pid = real;
    return true;
}

static bool to_recorded(struct ucred *who)
{
    uint32_t recorded = replay_recorded(who->pid);
    const struct named *n = named_by(who->pid);
    if (!recorded)
        return false;
    if (n) {
        who->uid = n->uid;
        who->gid = n->gid;
    }
    who->pid = (pid_t)recorded;
    return true;
}

static void change_at(struct task *t, uint64_t at, bool (*change)(struct ucred *who))
{
    struct ucred who;
    if (mem_read(t->tid, at, &who, sizeof who) && change(&who))
        mem_write(t->tid, at, &who, sizeof who);
}

/* At an entry-stop of a call that is not in the log; a filled-in message is as it was after its call. */
void replay_identities(struct task *t)
{
    bool is_query = t->nr == REX_NR_getsockopt && t->args[1] == SOL_SOCKET && t->args[2] == SO_PEERCRED;
    net_state(t)->credentials = t->nr == REX_NR_sendmsg ? credentials_in(t) : 0;
    if (net_state(t)->credentials)
        change_at(t, net_state(t)->credentials, to_real);
    t->want_exit |= net_state(t)->credentials || is_query || t->nr == REX_NR_recvmsg;
}

void replay_identities_exit(struct task *t, int64_t result)
{
    uint64_t received = t->nr == REX_NR_recvmsg && result >= 0 ? credentials_in(t) : 0;
    if (t->stream)
        return;
    if (t->nr == REX_NR_sendmsg && net_state(t)->credentials)
        change_at(t, net_state(t)->credentials, to_recorded);
    else if (received)
        change_at(t, received, to_recorded);
    else if (t->nr == REX_NR_getsockopt && !result && t->args[1] == SOL_SOCKET && t->args[2] == SO_PEERCRED)
        change_at(t, t->args[3], to_recorded);
    net_state(t)->credentials = 0;
}

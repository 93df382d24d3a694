/* Replay, call by call: which are answered from the log, which run and are corrected. */
#include "base/base.h"
#include "log/log.h"
#include "replay/files/files.h"
#include "replay/index/index.h"
#include "replay/ipc/ipc.h"
#include "replay/net/net.h"
#include "replay/pipes/pipes.h"
#include "replay/progress/progress.h"
#include "replay/replay.h"
#include "replay/rules/rules.h"
#include "replay/send/send.h"
#include "replay/signals/signals.h"
#include "replay/tasks/tasks.h"
#include "replay/wait/wait.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>

static void run(struct task *t)
{
    t->want_exit = true;
}

/* ------------------------------------------------------------------ external descriptors */

static void socket_entry(struct task *t, struct event *e)
{
    const struct record *r = e->record;
    int at = arg_of(t->nr, REX_WORD_SOCKTYPE);
    uint64_t flags = at >= 0 ? t->args[at] : t->nr == REX_NR_mq_open ? SOCK_CLOEXEC : 0;
    if (r->result < 0) {
        replay_emulate(t, e);
        return;
    }
    int type = SOCK_DGRAM | ((int)flags & (SOCK_CLOEXEC | SOCK_NONBLOCK));
    change_call(t, REX_NR_socket, AF_UNIX, (uint64_t)type, 0, 0);   /* takes the descriptor, reaches nobody */
}

/* ------------------------------------------------------------------ the hooks */

static void sleep_entry(struct task *t, struct event *e)
{
    if (replay_sleep_continues(t, e)) {
        e->unsent = t->only_waits = true;
        e->taker = NULL;
        t->matched = NULL;
        replay_unmatched(t, call_of(t->nr));
    } else if (is_single(t) || e->record->result)
        replay_emulate(t, e);
    else if (replay_sleep_until(t)) {
        replay_wait_end(t)->at = e->record->time;
        replay_wait_end(t)->is_logged = true;
        run(t);
    }
}

static void pause_entry(struct task *t, struct event *e)
{
    if (replay_send(t, e))
        run(t);
    else
        replay_emulate(t, e);
}

/* The log has the signals, and the processes that were not made. */
static void limit_entry(struct task *t, struct event *e)
{
    bool is_enforced = t->args[1] != RLIMIT_CPU && t->args[1] != RLIMIT_NPROC && t->args[1] != RLIMIT_RTTIME && t->args[1] != RLIMIT_SIGPENDING;
    if (t->args[2] && e->record->result == 0 && is_enforced)
        change_call(t, t->nr, 0, t->args[1], t->args[2], 0);
    else
        replay_emulate(t, e);
}

static void pid_entry(struct task *t, struct event *e)
{
    struct task *other = task_named((uint32_t)t->args[0]);
    pid_t tid = other ? other->tid : replay_dead((uint32_t)t->args[0]);
    if (t->nr == REX_NR_pidfd_open && e->record->result >= 0 && tid)
        change_call(t, t->nr, (uint64_t)tid, t->args[1], 0, 0);
    else
        replay_emulate(t, e);
}

static void chdir_entry(struct task *t, struct event *e)
{
    const struct field *f = record_field(e->record, 0, FIELD_RESOLVED);
    if (f) {
        free(t->leader->cwd);
        t->leader->cwd = strndup((const char *)f->data, f->length);
    }
    replay_emulate(t, e);
}

/* Who gets the signal has it in its own log, at its place. */
static void kill_entry(struct task *t, struct event *e)
{
    if (replay_group_kill(t)) {
        replay_done(e);
        return;
    }
    if (e->record->result == 0)
        replay_sent(t);
    replay_emulate(t, e);
}

/* A call whose answer is a new descriptor: of a process of the experiment it is one of that, else one that reaches nobody. */
static void answered_entry(struct task *t, const struct event *e)
{
    uint32_t process = (uint32_t)e->record->args[5];
    struct task *other = process ? task_named(process) : NULL;
    pid_t tid = other ? other->tid : process ? replay_dead(process) : 0;
    if (tid)
        change_call(t, REX_NR_pidfd_open, (uint64_t)tid, 0, 0, 0);
    else
        change_call(t, REX_NR_socket, AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, 0);
}

static void answered_exit(struct task *t, struct event *e, int64_t fd)
{
    if (fd < 0)
        replay_diverged(t, e, "failed here");
    else
        files_set(t->files, (int)fd, (uint32_t)(e->record->args[5] >> 32));
    if (fd >= 0 && t->nr == REX_NR_getsockopt) {
        int number = (int)fd;
        put_outputs(t, e->record);
        mem_write(t->tid, t->args[3], &number, sizeof number);
        fd = 0;
    }
    give_result(t, fd);
    replay_done(e);
}

static bool answers_now(const struct task *t, const struct event *e)
{
    return e->record->result >= 0 && e->record->call == t->nr && answers_descriptor(t->nr, t->args);
}

void replay_call(struct task *t, const struct rex_call *c, struct event *e)
{
    bool failed = e->record->result < 0;
    if (e->record->call == EVENT_PIPE || e->record->call == EVENT_SHARED) {
        (e->record->call == EVENT_PIPE ? replay_pipe : replay_shared)(t, e);
        return;
    }
    if (answers_now(t, e)) {
        answered_entry(t, e);
        return;
    }
    switch (c->hook) {
    case REX_HOOK_OPEN:
        replay_open(t, e);
        return;
    case REX_HOOK_EXEC:
        replay_exec(t, e);
        return;
    case REX_HOOK_FORK:
    case REX_HOOK_STREAM:
        if (t->nr == REX_NR_timerfd_create && !failed)
            replay_timerfd_plain(t);
        if (failed)
            replay_emulate(t, e);
        else
            run(t);
        return;
    case REX_HOOK_CLOSE:
        files_set(t->files, (int)t->args[0], 0);
        replay_done(e);
        return;
    case REX_HOOK_EXIT:
        replay_done(e);                   /* it was only to wait for its turn */
        return;
    case REX_HOOK_TID:
        run(t);
        return;
    case REX_HOOK_WAIT:
        replay_child_wait(t, e);
        return;
    case REX_HOOK_KILL:
        kill_entry(t, e);
        return;
    case REX_HOOK_SLEEP:
        sleep_entry(t, e);
        return;
    case REX_HOOK_PAUSE:
        pause_entry(t, e);
        return;
    case REX_HOOK_POLL:
    case REX_HOOK_SELECT:
    case REX_HOOK_EPOLL_WAIT:
        replay_poll(t, e);
        return;
    case REX_HOOK_EPOLL_CTL:
        if (replay_epoll_ctl(t))
            run(t);
        else
            replay_emulate(t, e);
        return;
    case REX_HOOK_FCNTL: {
        const struct field *lock = record_field(e->record, 2, FIELD_OUT);
        if (lock && names_process(t))
            mem_write(t->tid, t->args[2], lock->data, lock->length);
        replay_emulate(t, e);
        return;
    }
    case REX_HOOK_CHDIR:
        chdir_entry(t, e);
        return;
    case REX_HOOK_TREE:
        if (replay_renames_otherwise(t, e)) {
            replay_done(e);
            return;
        }
        if (!failed)
            overlay_change(t, e->record);
        replay_emulate(t, e);
        return;
    case REX_HOOK_RLIMIT:
        limit_entry(t, e);
        return;
    case REX_HOOK_PID:
        pid_entry(t, e);
        return;
    case REX_HOOK_SOCKET:
    case REX_HOOK_ACCEPT:
        socket_entry(t, e);
        return;
    case REX_HOOK_IPC:
        replay_ipc(t, e);
        return;
    case REX_HOOK_PEER:
        replay_peer(t, e);
        return;
    }
    if (replay_is_output(t->stream, t->nr))
        replay_output(t, e);
    else if (!replay_sigwait_takes(t, e)) {
        if (t->nr == REX_NR_recvmsg && !failed && replay_rights_received(t, e))
            return;
        if (t->nr == REX_NR_sendmsg && !failed)
            replay_rights_sent(t, e);
        if (t->nr == REX_NR_bind && !failed)
            overlay_bind(t, e->record);
        if (t->nr == REX_NR_rt_sigtimedwait && e->record->result > 0)
            replay_arrived(t, (int)e->record->result);
        replay_emulate(t, e);
    }
}

/* ------------------------------------------------------------------ exits */

static void descriptor_made(struct task *t, struct event *e, int64_t result)
{
    if (result < 0) {
        replay_diverged(t, e, "failed here");
        give_result(t, result);
        return;
    }
    files_set(t->files, (int)result, e ? e->record->stream : 0);
    if (e && call_of(t->nr)->hook == REX_HOOK_OPEN)
        replay_file_opened(t, e, (int)result);
    if (e && e->record->call != REX_NR_socket)
        put_outputs(t, e->record);
    give_result(t, result);
}

void replay_call_exit(struct task *t, const struct rex_call *c, struct event *e, int64_t result)
{
    if (c->hook == REX_HOOK_WAIT && result == -ECHILD && replay_is_job_left(t, e)) {
        rewind_call(t);
        return;
    }
    if (is_readiness_wait(c))
        replay_poll_exit(t, e, result);
    if (!e && c->hook == REX_HOOK_WAIT)
        replay_child_reported(t, result);
    if (replay_makes_epoll(t->nr) && result >= 0)
        replay_epoll_made(t, result);
    if (!e && c->hook == REX_HOOK_OPEN && result >= 0)
        replay_own_opened(t, (int)result);
    if (!e && (c->hook == REX_HOOK_KILL || c->hook == REX_HOOK_SLEEP || c->hook == REX_HOOK_IPC || c->hook == REX_HOOK_PEER))
        give_result(t, result);
    if (!e && replay_output_goes_on(t))
        replay_output_rest_exit(t, result);
    if (!e)
        return;
    const struct record *r = e->record;
    if (r->call == EVENT_PIPE || r->call == EVENT_SHARED) {
        (r->call == EVENT_PIPE ? replay_pipe_exit : replay_shared_exit)(t, e, result);
        return;
    }
    if (replay_is_output(t->stream, t->nr)) {
        replay_output_exit(t, e, result);
        return;
    }
    if (answers_now(t, e)) {
        answered_exit(t, e, result);
        return;
    }
    if (c->hook == REX_HOOK_OPEN && replay_opens_indirectly(t, result))
        return;
    switch (c->hook) {
    case REX_HOOK_IPC:
        replay_ipc_exit(t, e, result);
        return;
    case REX_HOOK_EXEC:
        exec_stack_restore(t);
        replay_diverged(t, e, "failed here");
        give_result(t, result);
        break;
    case REX_HOOK_OPEN:
    case REX_HOOK_STREAM:
    case REX_HOOK_SOCKET:
    case REX_HOOK_ACCEPT:
    case REX_HOOK_PID:
        descriptor_made(t, e, result);
        break;
    case REX_HOOK_POLL:
    case REX_HOOK_SELECT:
    case REX_HOOK_EPOLL_WAIT:
    case REX_HOOK_PAUSE:
    case REX_HOOK_EPOLL_CTL:
        break;
    default:
        if (result < 0 && r->result >= 0 && (c->hook == REX_HOOK_WAIT || c->hook == REX_HOOK_FORK || c->hook == REX_HOOK_PEER)) {
            replay_diverged(t, e, "failed here");
            give_result(t, result);
            break;
        }
        if (t->nr == REX_NR_recvmsg)
            replay_rights_taken(t, e);
        else if (c->hook == REX_HOOK_WAIT && r->result >= 0)
            replay_child_ended(t, r);
        else if (r->result >= 0)
            put_outputs(t, r);
        give_result(t, r->result);
    }
    replay_took(e, 1);
}

/* ------------------------------------------------------------------ what the log does not have */

/* Nothing outside is contacted: a call that would need it fails as if there were nothing. */
void replay_unmatched(struct task *t, const struct rex_call *c)
{
    switch (c->hook) {
    case REX_HOOK_OPEN:
        replay_open(t, NULL);
        return;
    case REX_HOOK_EXEC:
    case REX_HOOK_TREE:
    case REX_HOOK_CHDIR:
        skip_call(t, -ENOENT);
        return;
    case REX_HOOK_SOCKET:
    case REX_HOOK_ACCEPT:
        skip_call(t, -ENETUNREACH);
        return;
    case REX_HOOK_KILL:
        if (!replay_group_kill(t))
            skip_call(t, -ESRCH);
        return;
    case REX_HOOK_IPC:
        if (!replay_ipc_freely(t))
            skip_call(t, -EINVAL);
        return;
    case REX_HOOK_PEER:
        if (!replay_peer_freely(t))
            skip_call(t, -EPERM);
        return;
    case REX_HOOK_PID:
        skip_call(t, -ESRCH);
        return;
    case REX_HOOK_SLEEP:
        if (is_single(t))
            skip_call(t, 0);
        else
            replay_sleep_until(t);
        return;
    case REX_HOOK_CLOSE:
        return;
    case REX_HOOK_WAIT:
        replay_child_wait_freely(t);
        return;
    case REX_HOOK_NONE:
        t->want_exit |= replay_output_goes_on(t);
        if (replay_is_output(t->stream, t->nr))
            return;
        if (c->policy == REX_STREAM)
            skip_call(t, t->nr == REX_NR_read ? 0 : -EIO);
        else if (c->key == REX_KEY_PATH)
            skip_call(t, -ENOENT);
        return;                           /* the rest of these query the kernel about the process itself */
    }
}

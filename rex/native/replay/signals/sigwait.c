/* Replay: signals that a call takes, without a handler: rt_sigtimedwait, or a read of a signalfd.
 *
 * The log has their data, but processes of a memory group send each other signals for real, and siblings as often as needed.  A signal that
 * was taken must not come again when it is unblocked.  So the task takes it for real before its call is
 * answered, and is not answered before the signal is there. */
#include "base/base.h"
#include "log/log.h"
#include "replay/index/index.h"
#include "replay/signals/internal.h"
#include "replay/signals/signals.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <sys/signalfd.h>

static bool is_signalfd(uint32_t stream)
{
    static struct table made;
    static bool found;
    for (size_t i = 0; i < event_count && !found; i++) {
        const struct record *r = events[i].record;
        if (op_of(r->call) == REX_OP_SIGNALFD && r->result >= 0)
            *table_at_file(&made, 0, r->stream) = &events[i];
    }
    found = true;
    return stream && *table_at_file(&made, 0, stream);
}

/* The signal of that number which the call took: false where there are no more.  by: its sender's number, 0 for the kernel. */
static bool signal_taken(const struct record *r, uint32_t number, int *sig, uint32_t *by)
{
    const struct field *f = record_field(r, 1, FIELD_OUT);
    struct signalfd_siginfo taken;
    siginfo_t info;
    if (r->call == REX_NR_rt_sigtimedwait && r->result > 0 && r->result <= 64 && !number) {
        bool has_info = f && f->length >= sizeof info;
        memcpy(&info, has_info ? f->data : (const void *)&(siginfo_t){0}, sizeof info);
        *sig = (int)r->result;
        *by = has_info && (info.si_code <= 0 || *sig == SIGCHLD) ? (uint32_t)info.si_pid : 0;
        return true;
    }
    size_t at = number * sizeof taken;
    if (r->call != REX_NR_read || r->result < (int64_t)(at + sizeof taken) || !f || f->length < at + sizeof taken || !is_signalfd(r->stream))
        return false;
    memcpy(&taken, f->data + at, sizeof taken);
    *sig = (int)taken.ssi_signo;
    *by = taken.ssi_code <= 0 || *sig == SIGCHLD ? taken.ssi_pid : 0;
    return *sig > 0 && *sig <= 64;
}

static bool is_pending(const struct task *t, int sig)
{
    ull own = 0, shared = 0;
    proc_value(t->tid, "status", "SigPnd: %llx", &own);
    proc_value(t->tid, "status", "ShdPnd: %llx", &shared);
    return (own | shared) >> (sig - 1) & 1;
}

/* Whether what the call takes is still to come, from the memory group. */
bool replay_sigwait_is_early(const struct task *t, const struct event *e)
{
    int sig;
    uint32_t by;
    if (!shares_memory(t) || !signal_taken(e->record, 0, &sig, &by) || signal_state(t)->took.event == e)
        return false;
    const struct task_log *sender = by ? task_log_named(by) : NULL;
    return sender && sender->memory_group == t->task_log->memory_group && !is_pending(t, sig) && !(sender->exit && sender->exit->done);
}

static void took(struct task *t, int64_t result)
{
    (void)result;
    signal_state(t)->took.event = t->matched;
}

/* Whether the task takes a signal for real, and then makes its call again. */
bool replay_sigwait_takes(struct task *t, const struct event *e)
{
    struct { uint64_t set; struct timespec none; } given = {0};
    int sig;
    uint32_t by;
    if (!has_shared_work(t))
        return false;
    signal_state(t)->took.count = signal_state(t)->took.event == e ? signal_state(t)->took.count : 0;
    while (signal_taken(e->record, signal_state(t)->took.count, &sig, &by)) {
        signal_state(t)->took.count++;
        if (!is_pending(t, sig))
            continue;
        if (!scratch_ready(t)) {
            signal_state(t)->took.count--;
            return true;
        }
        given.set = 1ULL << (sig - 1);
        uint64_t at = scratch_put(t, &given, sizeof given);
        const uint64_t args[6] = {at, 0, at + offsetof(__typeof__(given), none), sizeof given.set};
        insert_call(t, REX_NR_rt_sigtimedwait, args, took);
        return true;
    }
    return false;
}

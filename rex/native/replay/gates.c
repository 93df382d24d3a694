/* Whether a logged event may happen now: the rows of gates. */
#include "base/base.h"
#include "log/log.h"
#include "mode/mode.h"
#include "replay/files/files.h"
#include "replay/index/index.h"
#include "replay/order/order.h"
#include "replay/pipes/pipes.h"
#include "replay/progress/progress.h"
#include "replay/regime/regime.h"
#include "replay/rules/rules.h"
#include "replay/send/send.h"
#include "replay/signals/signals.h"
#include "replay/tasks/tasks.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

static bool is_shared(const struct event *e)
{
    return e->record->call == EVENT_SHARED;
}

static enum verdict hold_if(bool holds)
{
    return holds ? HOLD : PASS;
}

static enum verdict order(struct task *t, const struct event *e)
{
    return hold_if(!replay_is_turn(t, e));
}

static enum verdict output_before_exit(struct task *t, const struct event *e)
{
    return hold_if(e->record->call == REX_NR_exit_group && has_shared_work(t) && replay_siblings_write(t));
}

static enum verdict pipe_bytes(struct task *t, const struct event *e)
{
    if (e->record->call != EVENT_PIPE)
        return PASS;
    return replay_pipe_ready(t, e) ? GO : HOLD;
}

static enum verdict lock(struct task *t, const struct event *e)
{
    return hold_if(is_shared(e) && !replay_shared_ready(t, e));
}

static enum verdict sender(struct task *t, const struct event *e)
{
    (void)t;
    return hold_if(!is_shared(e) && e->before && !e->before->done);
}

static enum verdict arrival(struct task *t, const struct event *e)
{
    return hold_if(!replay_has_arrived(t, e));
}

static enum verdict read_after_write(struct task *t, const struct event *e)
{
    (void)t;
    return hold_if(!replay_is_written(e));
}

static enum verdict shared_open(struct task *t, const struct event *e)
{
    return hold_if(!is_shared(e) && !replay_shared_may_open(t, e));
}

static enum verdict sleep_over(struct task *t, const struct event *e)
{
    return hold_if(!is_shared(e) && replay_sleeps_over(t, e));
}

static enum verdict ordering_sleep(struct task *t, const struct event *e)
{
    return hold_if(!is_shared(e) && replay_rests(t, e));
}

static enum verdict end_in_memory_group(struct task *t, const struct event *e)
{
    return hold_if(replay_group_ends_first(t, e));
}

static enum verdict active_thread_first(struct task *t, const struct event *e)
{
    return hold_if(replay_alone_precedes(t, e));
}

static enum verdict active_thread_waits(struct task *t, const struct event *e)
{
    int64_t pid = is_shared(e) ? 0 : replay_alone_child(t, e);
    const struct task *child = pid ? replay_job_waited(t, (uint32_t)pid) : NULL;
    return hold_if(pid ? child && child->alive : !is_shared(e) && replay_alone_waits(t, e));
}

static enum verdict turn(struct task *t, const struct event *e)
{
    (void)t;
    return is_serialized() || !(call_of(e->record->call) || is_shared(e)) ? GO : PASS;
}

static enum verdict sigwait_early(struct task *t, const struct event *e)
{
    return hold_if(replay_sigwait_is_early(t, e));
}

static enum verdict sigwait_sent(struct task *t, const struct event *e)
{
    const struct field *f = record_field(e->record, 1, FIELD_OUT);
    if (e->record->call != REX_NR_rt_sigtimedwait)
        return PASS;
    return shares_memory(t) || e->record->result <= 0 || !f || f->length < sizeof(siginfo_t) || replay_was_sent(t, f) ? GO : HOLD;
}

static enum verdict interrupting_signal(struct task *t, const struct event *e)
{
    if (e->record->result != -EINTR || (is_readiness_wait(call_of(t->nr)) && has_shared_work(t)))
        return GO;
    struct event *next = replay_event_after(t, e);
    return !next || !replay_is_signal(next) || replay_is_sent(t, next) || replay_sleep_continues(t, e) ? GO : HOLD;
}

const struct gate gates[] = {
    /* What other processes did before comes first: nothing else about the event is true until then. */
    {"order", order},
    /* A process ends once its other threads have written all that they wrote: its end would cut that off. */
    {"output-before-exit", output_before_exit},
    /* Bytes of inner pipes are ready as soon as they are there: no later gate concerns them. */
    {"pipe-bytes", pipe_bytes},
    /* Before gates about opens and sleeps, which locks do not have. */
    {"lock", lock},
    /* A passed descriptor, or a datagram, has been sent. */
    {"sender", sender},
    /* What an external server sends comes after the request that it answers. */
    {"arrival", arrival},
    /* A file is opened after others have written what the reader found there. */
    {"read-after-write", read_after_write},
    /* An open waits for the locks of those that write the file. */
    {"shared-open", shared_open},
    /* A task in a sleep waits for slower threads, which the log has before its end. */
    {"sleep-over", sleep_over},
    /* A sleep that only kept an order ends once the order is kept. */
    {"ordering-sleep", ordering_sleep},
    /* A process that shares memory ends after those that still use it. */
    {"end-in-memory-group", end_in_memory_group},
    /* Of a process with one active thread the log's order holds. */
    {"active-thread-first", active_thread_first},
    /* The same for the thread itself: it waits for what the others are yet to do. */
    {"active-thread-waits", active_thread_waits},
    /* With one task at a time signals come by turn; what is no call has none that could end it. */
    {"turn", turn},
    /* The signal belongs to an earlier call of another thread. */
    {"sigwait-early", sigwait_early},
    /* A wait for a signal returns once it was sent. */
    {"sigwait-sent", sigwait_sent},
    /* Last: a call that a signal ended returns once the signal was sent. */
    {"interrupting-signal", interrupting_signal},
    {NULL, NULL},
};

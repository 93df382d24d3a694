/* Replay: processes of whose threads only one does anything.
 *
 * The others only wait, for it or for what it waits for (Tcl's notifier).  So what it writes does not depend on which is first but on
 * what had come as it polled, and the log has that: answers to what it sends now may come earlier or later. */
#include "base/base.h"
#include "log/log.h"
#include "replay/index/index.h"
#include "replay/regime/regime.h"
#include "syscalls/syscalls.h"

static bool is_wait(const struct record *r)
{
    return r->call == EVENT_TASK || r->call == EVENT_EXIT || r->call == REX_NR_exit || (call_of(r->call) && is_readiness_wait(call_of(r->call)));
}

static bool only_waits(const struct task_log *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (!s->event[i]->idle && !is_wait(s->event[i]->record))
            return false;
    return true;
}

bool replay_is_sole(const struct task_log *own)
{
    for (uint32_t i = 0; i < task_log_total(); i++) {
        const struct task_log *s = task_log_of(i);
        if (s != own && s->tgid == own->tgid && !only_waits(s))
            return false;
    }
    return true;
}

/* The log of a watched recording, which somebody reads while it grows: what has happened is written to it soon, also while
 * a task computes or sleeps. */
#include "base/base.h"
#include "fastpath/fastpath.h"
#include "log/log.h"
#include "record/internal.h"
#include "record/record.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

enum { WRITTEN_EACH_NS = 100000000 };

void record_write_growing_log(void)
{
    static ull written_at;
    if (!plan.watched || log_now() - written_at < WRITTEN_EACH_NS)
        return;
    written_at = log_now();
    for (struct task *t = tasks; t; t = t->next)
        if (t->alive && t->ring)
            fast_sync_running(t);
    log_flush();
}

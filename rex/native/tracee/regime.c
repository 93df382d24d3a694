/* What the answers of the log may depend on in a process, chosen here and queried by others.
 *
 *     begins, or executes a program    ONE_THREAD, or SERIALIZED where one task runs at a time
 *     makes a thread                   THREADS
 *     shares memory with others        MEMORY_GROUP, for as long as it executes nothing
 *
 * Whether of THREADS only one is active changes from call to call: see replay/regime.  An order that could not be kept ends that. */
#include "base/base.h"
#include "mode/mode.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

void regime_begins(struct task *leader)
{
    leader->regime = is_serialized() ? SERIALIZED : ONE_THREAD;
}

void regime_has_threads(struct task *leader)
{
    if (leader->regime == ONE_THREAD)
        leader->regime = THREADS;
}

void regime_shares_memory(struct task *leader)
{
    if (leader->regime != SERIALIZED)
        leader->regime = MEMORY_GROUP;
}

void regime_gives_up_order(struct task *t)
{
    t->leader->order_given_up = true;
}

enum regime regime_of(const struct task *t)
{
    return t->leader->regime;
}

bool shares_memory(const struct task *t)
{
    return regime_of(t) == MEMORY_GROUP;
}

/* Also of a process that has had threads: some may have taken the events of others.  Of a memory group as well. */
bool has_shared_work(const struct task *t)
{
    return regime_of(t) == THREADS || regime_of(t) == MEMORY_GROUP;
}

/* Or as good as: of many, one runs at a time in an order that the log has. */
bool is_single(const struct task *t)
{
    return regime_of(t) == SERIALIZED || (t->leader->threads <= 1 && regime_of(t) != MEMORY_GROUP);
}

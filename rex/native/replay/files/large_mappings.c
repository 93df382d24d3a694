/* Replay: large files are mapped where they were mapped when recorded, see record/large_mappings.c. */
#include "base/base.h"
#include "log/log.h"
#include "replay/files/files.h"
#include "replay/index/index.h"
#include "tracee/task.h"
#include "tracee/tracee.h"
#include "track/track.h"

#include <linux/mman.h>

#include <sys/mman.h>

void replay_mappings_start(void)
{
    for (size_t i = 0; i < event_count; i++)
        if (events[i].record->call == EVENT_MAPPED)
            queue_add(&events[i], queue_id(task_log_of(events[i].record->task), EVENT_MAPPED, events[i].key, 0), PLAIN);
}

/* Nothing else depends on these events: a program that maps otherwise than when recorded takes what it gets. */
static struct event *left_in(const struct task_log *s, uint64_t key)
{
    struct event *e = queue_at(queue_id(s, EVENT_MAPPED, key, 0))->first;
    while (e && e->taker)
        e = e->next[PLAIN];
    return e;
}

void replay_mapping(struct task *t)
{
    const uint64_t args[2] = {t->args[1], t->args[5]};
    if (!maps_large_file(t) || !t->task_log)
        return;
    struct event *e = left_in(t->task_log, mapping_key(args));
    for (uint32_t i = 0; !e && has_shared_work(t) && i < task_log_total(); i++)
        if (replay_is_sibling(t, task_log_of(i)))
            e = left_in(task_log_of(i), mapping_key(args));
    if (!e)
        return;
    e->taker = t;
    change_call(t, t->nr, (uint64_t)e->record->result, t->args[1], t->args[2], t->args[3] | MAP_FIXED_NOREPLACE);
}

/* Where something is already, as another thread may have mapped there, the kernel is to choose. */
void replay_mapped(struct task *t, int64_t result)
{
    if (result == -EEXIST)
        rewind_call(t);
    else
        give_result(t, result);
}

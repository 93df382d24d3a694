/* Replay: what the log has registered with epoll, by which a wait says what is ready. */
#include "base/base.h"
#include "log/log.h"
#include "replay/index/index.h"
#include "replay/wait/internal.h"
#include "replay/wait/wait.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"

#include <sys/epoll.h>

/* Of what is registered, in the log; how often the stream is from then on. */
static struct change { const struct event *event; int times; } *changes;
static size_t change_count;

static void find_changes(void)
{
    static struct table times;
    static size_t looked;
    for (; looked < event_count; looked++) {
        const struct record *r = events[looked].record;
        if (r->call != REX_NR_epoll_ctl || r->result < 0)
            continue;
        void **now = table_at_file(&times, r->args[0], r->stream);
        *now = (void *)((intptr_t)*now + (r->args[1] == EPOLL_CTL_ADD) - (r->args[1] == EPOLL_CTL_DEL));
        changes = grow(changes, change_count, sizeof *changes);
        changes[change_count++] = (struct change){&events[looked], (int)(intptr_t)*now};
    }
}

static bool registers(const struct record *r, uint64_t data)
{
    const struct field *f = record_field(r, 3, FIELD_IN);
    struct epoll_event was = {0};
    if (!f || r->args[1] == EPOLL_CTL_DEL)
        return false;
    memcpy(&was, f->data, f->length < sizeof was ? f->length : sizeof was);
    return was.data.u64 == data;
}

/* They stop in replays only, as the number may have been that of another before. */
bool replay_makes_epoll(long nr)
{
    return op_of(nr) == REX_OP_EPOLL;
}

/* Whether what was registered so was taken out again, as e was: maybe before the log has it registered. */
static bool is_taken_out(size_t change, const struct event *e)
{
    const struct record *r = changes[change].event->record;
    int times = changes[change].times;
    for (size_t i = change + 1; i < change_count && changes[i].event->number < e->number; i++)
        if (changes[i].event->record->stream == r->stream && changes[i].event->record->args[0] == r->args[0])
            times = changes[i].times;
    return times <= 0;
}

/* Descriptors, and so the data by which they are registered, may have other numbers where threads race for
 * them.  Whether the log shows which stream its data meant, as e was; 0 = an internal one.  It may have been registered, by another thread, just before
 * the wait was over, and the log has that after it. */
bool replay_epoll_stream(const struct task *t, const struct event *e, uint64_t data, uint32_t *stream)
{
    bool is_reported = false;
    find_changes();
    for (size_t i = change_count; i-- > 0; ) {
        const struct record *r = changes[i].event->record;
        if (r->args[0] != e->record->args[0] || task_log_of(r->task)->tgid != t->task_log->tgid || !registers(r, data))
            continue;
        bool is_before = changes[i].event->number < e->number;
        if (is_before && is_taken_out(i, e))
            break;
        *stream = r->stream;
        is_reported = true;
        if (is_before)
            break;
    }
    return is_reported;
}

/* Replay: what the log has registered with epoll, by which a wait says what is ready. */
#include "engine.h"

#include <sys/epoll.h>

static const struct event **changes;     /* of what is registered, in the log */
static size_t change_count;

static void find_changes(void)
{
    static size_t looked;
    for (; looked < event_count; looked++)
        if (events[looked].record->call == REX_NR_epoll_ctl) {
            changes = grow(changes, change_count, sizeof *changes);
            changes[change_count++] = &events[looked];
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

/* Whether what was registered so was taken out again, as e was. */
static bool is_taken_out(size_t change, const struct event *e)
{
    const struct record *r = changes[change]->record;
    for (size_t i = change + 1; i < change_count && changes[i]->number < e->number; i++)
        if (changes[i]->record->args[1] == EPOLL_CTL_DEL && changes[i]->record->stream == r->stream && changes[i]->record->args[0] == r->args[0])
            return true;
    return false;
}

/* Descriptors, and so the data by which they are registered, may have other numbers where threads race for
 * them.  Which stream the log's data stood for, as e was; 0 = not told.  It may have been registered, by another thread, just before
 * the wait was over, and the log has that after it. */
uint32_t replay_epoll_stream(struct task *t, const struct event *e, uint64_t data)
{
    uint32_t later = 0;
    find_changes();
    for (size_t i = change_count; i-- > 0; ) {
        const struct record *r = changes[i]->record;
        if (r->args[0] != t->args[0] || script_of(r->task)->tgid != t->script->tgid || !registers(r, data))
            continue;
        if (changes[i]->number < e->number)
            return is_taken_out(i, e) ? later : r->stream;
        later = r->stream;
    }
    return later;
}

/* Replay: what the waits of the log told of, by which shows whether the pace of others decides about connections. */
#include "engine.h"

#include <sys/epoll.h>

static struct table registered;          /* streams, by the process and its epoll descriptor, and the data */
static struct wake { uint32_t task, number; } *wakes;     /* waits that told of what is inside */
static size_t wake_count;

static void **registered_as(const struct record *r, uint64_t data)
{
    return table_at_file(&registered, (uint64_t)script_of(r->task)->tgid << 32 | (uint32_t)r->args[0], data);
}

/* What epoll_ctl registers; nothing: it takes it out. */
static struct epoll_event wanted_by(const struct record *r)
{
    const struct field *f = r->call == REX_NR_epoll_ctl && r->args[1] != EPOLL_CTL_DEL ? record_field(r, 3, FIELD_IN) : NULL;
    struct epoll_event wanted = {0};
    if (f)
        memcpy(&wanted, f->data, f->length < sizeof wanted ? f->length : sizeof wanted);
    return wanted;
}

/* Edges are told once, of what has come by then: who waits for these is told by the kernel. */
bool told_by_edges(const struct record *r)
{
    return wanted_by(r).events & EPOLLET;
}

static bool is_wait(const struct record *r)
{
    return call_of(r->call) && is_readiness_wait(call_of(r->call));
}

/* Of poll and select the log does not say whose descriptors those were. */
static bool tells_of_inside(const struct record *r)
{
    const struct field *f = record_field(r, 1, FIELD_OUT);
    struct epoll_event told;
    if (r->result <= 0 || call_of(r->call)->hook != REX_HOOK_EPOLL_WAIT)
        return r->result > 0;
    for (size_t at = 0; f && at + sizeof told <= f->length; at += sizeof told) {
        memcpy(&told, f->data + at, sizeof told);
        if (!*registered_as(r, told.data.u64))
            return true;
    }
    return false;
}

/* In the log's order. */
void told_note(const struct event *e)
{
    const struct record *r = e->record;
    if (r->call == REX_NR_epoll_ctl && r->result >= 0 && r->args[1] != EPOLL_CTL_DEL)
        *registered_as(r, wanted_by(r).data.u64) = (void *)(uintptr_t)r->stream;
    if (!is_wait(r) || !tells_of_inside(r))
        return;
    wakes = grow(wakes, wake_count, sizeof *wakes);
    wakes[wake_count++] = (struct wake){r->task, e->number};
}

/* Whether anything inside woke the task between these events: work that another thread has done, words of a child. */
bool told_of_inside(uint32_t task, uint32_t from, uint32_t until)
{
    for (size_t i = 0; i < wake_count; i++)
        if (wakes[i].task == task && wakes[i].number > from && wakes[i].number < until)
            return true;
    return false;
}

/* Replay: index of recorded poll results, used to decide whether a connection depends on thread timing. */
#include "base/base.h"
#include "log/log.h"
#include "replay/index/index.h"
#include "replay/peers/peers.h"
#include "syscalls/syscalls.h"

#include <poll.h>
#include <sys/epoll.h>

static struct table registered;          /* streams, by the process and its epoll descriptor, and the data */
static struct wake { uint32_t task, number; } *wakes;     /* waits that reported internal descriptors */
static size_t wake_count;

static void **registered_as(const struct record *r, uint64_t data)
{
    return table_at_file(&registered, (uint64_t)task_log_of(r->task)->tgid << 32 | (uint32_t)r->args[0], data);
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

/* Edges are reported once, for what has come by then: the kernel reports to tasks that wait for these. */
bool reported_by_edges(const struct record *r)
{
    return wanted_by(r).events & EPOLLET;
}

static bool is_wait(const struct record *r)
{
    return call_of(r->call) && is_readiness_wait(call_of(r->call));
}

/* Of poll and select the log does not say whose descriptors those were. */
static bool reports_internal(const struct record *r)
{
    const struct field *f = record_field(r, 1, FIELD_OUT);
    struct epoll_event reported;
    if (r->result <= 0 || call_of(r->call)->hook != REX_HOOK_EPOLL_WAIT)
        return r->result > 0;
    for (size_t at = 0; f && at + sizeof reported <= f->length; at += sizeof reported) {
        memcpy(&reported, f->data + at, sizeof reported);
        if (!*registered_as(r, reported.data.u64))
            return true;
    }
    return false;
}

/* In the log's order. */
void poll_index_note(const struct event *e)
{
    const struct record *r = e->record;
    if (r->call == REX_NR_epoll_ctl && r->result >= 0 && r->args[1] != EPOLL_CTL_DEL)
        *registered_as(r, wanted_by(r).data.u64) = (void *)(uintptr_t)r->stream;
    if (!is_wait(r) || !reports_internal(r))
        return;
    wakes = grow(wakes, wake_count, sizeof *wakes);
    wakes[wake_count++] = (struct wake){r->task, e->number};
}

/* Whether anything inside woke the task between these events: work that another thread has done, words of a child. */
bool reported_internal(uint32_t task, uint32_t from, uint32_t until)
{
    for (size_t i = 0; i < wake_count; i++)
        if (wakes[i].task == task && wakes[i].number > from && wakes[i].number < until)
            return true;
    return false;
}

/* How many descriptors a wait by poll or select reported; is_among: fd was. */
static int count_reported(const struct record *r, int fd, bool *is_among)
{
    unsigned hook = call_of(r->call)->hook;
    int count = 0;
    for (uint8_t k = 0; k <= 3; k++) {
        const struct field *f = record_field(r, k, FIELD_OUT);
        const struct pollfd *was = f ? (const void *)f->data : NULL;
        for (size_t i = 0; hook == REX_HOOK_POLL && f && k == 0 && i < f->length / sizeof *was; i++) {
            count += was[i].revents != 0;
            *is_among |= was[i].revents && was[i].fd == fd;
        }
        for (int i = 0; hook == REX_HOOK_SELECT && f && k > 0 && i < (int)f->length * 8; i++) {
            bool is_ready = f->data[i / 8] & 1 << i % 8;
            count += is_ready;
            *is_among |= is_ready && i == fd;
        }
    }
    return count;
}

/* Whether a process without threads waited for something else besides what it has open there, between its connect and that event. */
bool reported_with_others(const struct event *connect, uint32_t until)
{
    const struct task_log *s = task_log_of(connect->record->task);
    bool of_it = false, of_others = false;
    for (size_t i = task_log_place(s, connect); i < s->count && s->event[i]->number < until; i++) {
        const struct record *r = s->event[i]->record;
        bool is_among = false;
        if (!is_wait(r) || r->result <= 0)
            continue;
        int count = count_reported(r, (int)connect->record->args[0], &is_among);
        of_it |= is_among;
        of_others |= count > is_among;
    }
    return of_it && of_others;
}

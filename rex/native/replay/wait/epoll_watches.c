/* Replay: what the program has registered with epoll for external descriptors, which the kernel's epoll does not watch. */
#include "base/base.h"
#include "log/log.h"
#include "replay/index/index.h"
#include "replay/order/order.h"
#include "replay/peers/peers.h"
#include "replay/wait/internal.h"
#include "replay/wait/wait.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <sys/epoll.h>

static struct epoll_watch *watched;
static size_t watched_count;

/* The place of what is registered; a new one if there is none. */
static size_t watched_at(struct task *t, int fd)
{
    size_t i = 0;
    while (i < watched_count && !(watched[i].fd == fd && watched[i].epoll == (int)t->args[0] && watched[i].tgid == t->leader->tid))
        i++;
    if (i == watched_count)
        watched = grow(watched, watched_count++, sizeof *watched);
    return i;
}

void replay_epoll_made(struct task *t, int64_t number)
{
    size_t kept = 0;
    for (size_t i = 0; i < watched_count; i++)
        if (watched[i].epoll != (int)number || watched[i].tgid != t->leader->tid)
            watched[kept++] = watched[i];
    watched_count = kept;
}

bool replay_epoll_ctl(struct task *t)
{
    struct epoll_event e;
    if (replay_is_awaited(t, (int)t->args[2]))
        return true;
    bool inner = files_piped(t->files, (int)t->args[2]);
    if (t->args[1] != EPOLL_CTL_DEL && mem_read(t->tid, t->args[3], &e, sizeof e)) {
        size_t i = watched_at(t, (int)t->args[2]);
        watched[i].tgid = t->leader->tid;
        watched[i].epoll = (int)t->args[0];
        watched[i].fd = (int)t->args[2];
        watched[i].inner = inner;
        watched[i].stream = files_stream(t->files, watched[i].fd);
        watched[i].events = e.events;
        watched[i].data = e.data.u64;
    }
    return inner;
}

/* The place of what has these data, watched_count if there is none. */
static size_t watched_as(struct task *t, uint64_t data, bool inner)
{
    size_t i = 0;
    while (i < watched_count && !(watched[i].data == data && watched[i].inner <= inner && watched[i].epoll == (int)t->args[0]
                                  && watched[i].tgid == t->leader->tid))
        i++;
    return i;
}

const struct epoll_watch *epoll_watch_for(struct task *t, const struct event *e, uint64_t data)
{
    uint32_t stream;
    size_t i = 0;
    if (!replay_epoll_stream(t, e, data, &stream))
        i = watched_as(t, data, false);
    else
        while (i < watched_count && !(stream && watched[i].stream == stream && watched[i].epoll == (int)t->args[0]
                                      && watched[i].tgid == t->leader->tid))
            i++;
    return i < watched_count ? &watched[i] : NULL;
}

bool epoll_is_not_yet_watched(struct task *t, const struct event *e, uint64_t data)
{
    uint32_t stream;
    return replay_epoll_stream(t, e, data, &stream) && replay_on_connection(stream) && !peers_inside(stream) && !peers_played(stream);
}

bool epoll_is_another(struct task *t, const struct event *e)
{
    const struct field *f = record_field(e->record, 1, FIELD_OUT);
    struct epoll_event reported;
    uint32_t stream;
    for (size_t at = 0; f && at + sizeof reported <= f->length; at += sizeof reported) {
        memcpy(&reported, f->data + at, sizeof reported);
        if (replay_epoll_stream(t, e, reported.data.u64, &stream) && stream && !peers_inside(stream) && !peers_played(stream)
            && !epoll_watch_for(t, e, reported.data.u64))
            return true;
    }
    return false;
}

bool replay_is_watched(struct task *t, uint64_t data, bool inner)
{
    return watched_as(t, data, inner) < watched_count;
}

/* Replay: the results of a wait that the log ended, without those of internal descriptors, which the kernel has. */
#include "base/base.h"
#include "log/log.h"
#include "replay/files/files.h"
#include "replay/index/index.h"
#include "replay/send/send.h"
#include "replay/wait/internal.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

static int64_t outside_of_poll(struct task *t, const struct event *e, const struct field *f)
{
    static struct pollfd fds[FEW];
    const struct pollfd *was = (const void *)f->data;
    int64_t left = 0;
    size_t count = (size_t)t->args[1];
    if (count > FEW || !mem_read(t->tid, t->args[0], fds, count * sizeof *fds))
        return 0;
    for (size_t i = 0; i < count; i++)
        fds[i].revents = 0;
    for (size_t k = 0; k < f->length / sizeof *was; k++) {
        int fd = was[k].revents ? replay_number_now(t, e, was[k].fd) : -1;
        for (size_t i = 0; fd >= 0 && files_stream(t->files, fd) && i < count; i++)
            if (fds[i].fd == fd)
                fds[i].revents |= was[k].revents;
    }
    for (size_t i = 0; i < count; i++)
        left += fds[i].revents != 0;
    mem_write(t->tid, t->args[0], fds, count * sizeof *fds);
    return left;
}

static int64_t outside_of_select(struct task *t, const struct event *e, int k, const struct field *f)
{
    fd_set set;
    int64_t left = 0;
    FD_ZERO(&set);
    for (size_t fd = 0; fd < f->length * 8; fd++) {
        int now = f->data[fd / 8] & 1 << fd % 8 ? replay_number_now(t, e, (int)fd) : -1;
        if (now >= 0 && (size_t)now < f->length * 8 && files_stream(t->files, now)) {
            FD_SET(now, &set);
            left++;
        }
    }
    mem_write(t->tid, t->args[k], &set, f->length);
    return left;
}

static int64_t outside_of_epoll(struct task *t, const struct event *e, const struct field *f)
{
    struct epoll_event reported;
    int64_t left = 0;
    for (size_t i = 0; i + sizeof reported <= f->length && left < (int)t->args[2]; i += sizeof reported) {
        memcpy(&reported, f->data + i, sizeof reported);
        const struct epoll_watch *watch = epoll_watch_for(t, e, reported.data.u64);
        if (!watch)
            continue;
        reported.data.u64 = watch->data;
        mem_write(t->tid, t->args[1] + (uint64_t)left++ * sizeof reported, &reported, sizeof reported);
    }
    return left;
}

void replay_report_external(struct task *t, struct event *e)
{
    int64_t left = 0;
    if (call_of(t->nr)->hook == REX_HOOK_SELECT)
        put_outputs(t, e->record);
    for (int k = 0; k <= 3; k++) {
        const struct field *f = t->args[k] ? record_field(e->record, (uint8_t)k, FIELD_OUT) : NULL;
        if (!f)
            continue;
        switch (call_of(t->nr)->hook) {
        case REX_HOOK_POLL:
            left += k == 0 ? outside_of_poll(t, e, f) : 0;
            break;
        case REX_HOOK_SELECT:
            left += k > 0 && f->length <= sizeof(fd_set) ? outside_of_select(t, e, k, f) : 0;
            break;
        default:
            left += k == 1 ? outside_of_epoll(t, e, f) : 0;
        }
    }
    skip_call(t, left);
    replay_answered(t, e);
}

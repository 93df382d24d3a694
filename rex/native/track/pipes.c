/* Internal pipes, socket pairs and counters of a process that polls before it reads.
 *
 * What such a program does depends on how much there is at the time.  So each of its reads and
 * writes there is in the log: how much it moved, not the data, which are made again in a replay.
 * This begins when a descriptor is made, or set, non-blocking, or with its first poll, select or epoll_ctl.  It does not hold while the process
 * has threads, whose timing differs anyway. */
#include "base/base.h"
#include "log/log.h"
#include "mode/mode.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"
#include "track/internal.h"
#include "track/track.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/select.h>

enum { MOST = 4096 };

bool pipe_asks(const struct task *t)
{
    return t->nr == REX_NR_ioctl && (unsigned)t->args[1] == FIONREAD;
}

/* Whether the call is one that the log has as a move of bytes. */
bool is_pipe_call(const struct task *t)
{
    bool moves = pipe_takes(t->nr) || pipe_gives(t->nr) || pipe_asks(t);
    return is_pipe_turn(t) || (regime_of(t) == ONE_THREAD && moves && files_piped(t->files, (int)t->args[0]));
}

/* Calls that only arrange descriptors run for real in replay too, and are not logged. */
bool is_descriptor_call(const struct task *t)
{
    if (t->nr != REX_NR_fcntl)
        return call_of(t->nr)->hook == REX_HOOK_DUP || call_of(t->nr)->hook == REX_HOOK_CLOSE
            || call_of(t->nr)->hook == REX_HOOK_CLOSE_RANGE;
    int cmd = (int)t->args[1];
    return cmd == F_DUPFD || cmd == F_DUPFD_CLOEXEC || cmd == F_GETFD || cmd == F_SETFD;
}

/* Whether the call closes or duplicates a watched descriptor. */
bool arranges_pipe(struct task *t)
{
    int fd = (int)t->args[0];
    uint32_t mark = files_mark(t->files, fd);
    bool is_watched = mark == (uint32_t)PIPE_ARRIVES || mark == (uint32_t)PIPE_WRITTEN;
    return is_descriptor_call(t) && (is_watched || files_piped(t->files, fd) || files_shared(t->files, fd));
}

static bool is_fifo(const char *path)
{
    struct stat st;
    return *path == '/' && !stat(path, &st) && S_ISFIFO(st.st_mode);
}

static void watch(struct task *t, int fd)
{
    if (fd < 0 || files_stream(t->files, fd) || files_piped(t->files, fd) || files_inside(t->files, fd))
        return;
    char *name = link_of_fd(t->tid, fd);
    if (name && !strcmp(name, "anon_inode:[eventfd]"))
        files_set(t->files, fd, PIPE_COUNTER);
    else if (name && (!strncmp(name, "pipe:[", 6) || !strncmp(name, "socket:[", 8) || is_fifo(name)))
        files_set(t->files, fd, PIPE_BYTES);
    free(name);
}

static void watch_polled(struct task *t)
{
    static struct pollfd fds[MOST];
    size_t count = (size_t)t->args[1];
    if (count <= MOST && mem_read(t->tid, t->args[0], fds, count * sizeof *fds))
        for (size_t i = 0; i < count; i++)
            watch(t, fds[i].fd);
}

static void watch_selected(struct task *t)
{
    int nfds = (int)t->args[0];
    size_t n = (size_t)(nfds + 63) / 64 * 8;
    fd_set set;
    for (int k = 1; k <= 3 && nfds > 0 && n <= sizeof set; k++)
        if (t->args[k] && mem_read(t->tid, t->args[k], &set, n))
            for (int fd = 0; fd < nfds; fd++)
                if (FD_ISSET(fd, &set))
                    watch(t, fd);
}

/* A non-blocking descriptor may be read and written before a poll. */
static bool stops_waiting(struct task *t)
{
    int on = 0;
    if (log_is_plain)
        return false;
    return (t->nr == REX_NR_fcntl && t->args[1] == F_SETFL && t->args[2] & O_NONBLOCK)
        || (t->nr == REX_NR_ioctl && (unsigned)t->args[1] == FIONBIO && mem_read(t->tid, t->args[2], &on, sizeof on) && on);
}

static bool may_watch(const struct task *t)
{
    return regime_of(t) == ONE_THREAD && !log_is_plain;
}

bool pipes_may_be_made(long nr)
{
    return !log_is_plain && uses_log() && !is_serialized() && (nr == REX_NR_pipe2 || nr == REX_NR_socketpair || nr == REX_NR_eventfd2);
}

static bool makes(const struct task *t)
{
    return pipes_may_be_made(t->nr) && t->args[1] & O_NONBLOCK && may_watch(t);
}

bool pipes_made(struct task *t, int64_t result)
{
    int fd[2];
    if (!makes(t))
        return false;
    if (t->nr == REX_NR_eventfd2)
        watch(t, (int)result);
    else if (!result && mem_read(t->tid, t->args[t->nr == REX_NR_socketpair ? 3 : 0], fd, sizeof fd))
        for (int i = 0; i < 2; i++)
            watch(t, fd[i]);
    return true;
}

/* At the entry of a call that polls, will be notified, or does not want to wait. */
void pipes_watch(struct task *t)
{
    if (call_of(t->nr)->hook == REX_HOOK_FORK && fork_flags(t) & CLONE_THREAD) {
        pipe_turns_end(t, -1);
        arrivals_watch(t);
    }
    if (!may_watch(t))
        return;
    t->want_exit |= makes(t);
    switch (call_of(t->nr)->hook) {
    case REX_HOOK_POLL:
        watch_polled(t);
        break;
    case REX_HOOK_SELECT:
        watch_selected(t);
        break;
    case REX_HOOK_EPOLL_CTL:
        if (t->args[1] == EPOLL_CTL_ADD)
            watch(t, (int)t->args[2]);
        break;
    default:
        if (stops_waiting(t))
            watch(t, (int)t->args[0]);
    }
}

uint64_t pipe_key(const uint64_t *args)
{
    return (uint64_t)EVENT_PIPE << 48 ^ (uint32_t)args[1];
}

/* The event of a call that has ended; log_end() is due. */
void pipe_event(struct task *t, struct bytes *b, int64_t result)
{
    struct stat st;
    char value[8];
    int fd = (int)t->args[0];
    log_begin(b, EVENT_PIPE, t->index);
    struct record *r = (struct record *)b->data;
    r->result = result;
    r->args[0] = (uint64_t)t->nr;
    r->args[1] = (uint64_t)fd;
    r->args[2] = stat_of_fd(t->tid, fd, &st) ? st.st_ino : 0;
    if (is_pipe_turn(t)) {
        bool is_last = result > 0 && pipe_is_left(t, st.st_ino);
        r->args[3] = is_last ? IS_LAST_TURN : IS_TURN;
        if (is_last)
            pipe_turns_end(t, fd);
        return;
    }
    if (result >= 0 && pipe_asks(t) && mem_read(t->tid, t->args[2], value, sizeof(int)))
        log_field(b, 2, FIELD_OUT, value, sizeof(int));
    else if (result == sizeof value && t->nr == REX_NR_read && files_counts(t->files, fd)
             && mem_read(t->tid, t->args[1], value, sizeof value))
        log_field(b, 1, FIELD_OUT, value, sizeof value);
}

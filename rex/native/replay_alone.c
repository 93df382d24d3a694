/* Replay: a process with threads of which only one has anything left to do.
 *
 * Libraries keep threads that wait for more to compute (OpenMP), or end them before a fork (OpenBLAS).  Then what the one
 * thread is told of its children is as certain as in a process without threads: which of their pipes are ready, and which
 * child has ended.  So it waits until that is as in the log; once nothing else moves, the pace of the process is its own. */
#include "engine.h"

#include <poll.h>
#include <sys/select.h>
#include <sys/wait.h>

enum { MOST = 64 };

/* Descriptors that a call asks about, with what the log has as ready of each. */
struct asked {
    struct pollfd fd[MOST];
    size_t count;
};

/* A signal for the process may come to any of them. */
static bool do_mates_rest(const struct task *t)
{
    for (struct task *other = tasks; other; other = other->next) {
        const struct event *next = other->script ? replay_next(other) : NULL;
        if (other != t && other->alive && other->leader == t->leader && (!other->script || (next && !replay_is_signal(next))))
            return false;
    }
    return true;
}

static bool asks_by_poll(struct task *t, const struct record *r, struct asked *a)
{
    const struct field *f = record_field(r, 0, FIELD_OUT);
    a->count = (size_t)t->args[1];
    if (!f || a->count > MOST || f->length < a->count * sizeof *a->fd || !mem_read(t->tid, t->args[0], a->fd, a->count * sizeof *a->fd))
        return false;
    const struct pollfd *was = (const void *)f->data;
    for (size_t i = 0; i < a->count; i++) {
        if (a->fd[i].fd != was[i].fd || a->fd[i].fd < 0)
            return false;
        a->fd[i].revents = was[i].revents;
    }
    return true;
}

static bool asks_by_select(struct task *t, const struct record *r, struct asked *a)
{
    static const short what[] = {0, POLLIN, POLLOUT};
    fd_set set, was;
    a->count = 0;
    for (int k = 1, nfds = (int)t->args[0]; k <= 3; k++) {
        const struct field *f = record_field(r, (uint8_t)k, FIELD_OUT);
        size_t n = (size_t)(nfds + 63) / 64 * 8;
        if (!t->args[k])
            continue;
        FD_ZERO(&was);
        if (k == 3 || nfds <= 0 || nfds > FD_SETSIZE || !f || f->length > sizeof was || !mem_read(t->tid, t->args[k], &set, n))
            return false;
        memcpy(&was, f->data, f->length);
        for (int fd = 0; fd < nfds; fd++) {
            if (!FD_ISSET(fd, &set) && !FD_ISSET(fd, &was))
                continue;
            if (a->count == MOST || !FD_ISSET(fd, &set))
                return false;
            a->fd[a->count++] = (struct pollfd){fd, what[k], FD_ISSET(fd, &was) ? what[k] : 0};
        }
    }
    return true;
}

/* Whether the process holds another end of the pipe itself. */
static bool talks_to_itself(struct task *t, int fd, ino_t pipe)
{
    bool does = false;
    int other;
    for (DIR *d = fds_of(t->tid); (other = next_fd(d)) >= 0; ) {
        struct stat st;
        does |= other != fd && stat_of_fd(t->tid, other, &st) && st.st_ino == pipe && S_ISFIFO(st.st_mode);
    }
    return does;
}

static bool are_of_others(struct task *t, const struct asked *a)
{
    for (size_t i = 0; i < a->count; i++) {
        struct stat st;
        if (files_stream(t->files, a->fd[i].fd) || !stat_of_fd(t->tid, a->fd[i].fd, &st) || !S_ISFIFO(st.st_mode)
            || talks_to_itself(t, a->fd[i].fd, st.st_ino))
            return false;
    }
    return a->count > 0;
}

static bool asks(struct task *t, const struct record *r, struct asked *a)
{
    int hook = call_of(t->nr)->hook;
    return r->result >= 0 && ((hook == REX_HOOK_POLL && asks_by_poll(t, r, a)) || (hook == REX_HOOK_SELECT && asks_by_select(t, r, a)))
        && are_of_others(t, a);
}

/* What the log has of it is there, and no less: who reads goes by an end (POLLHUP) only where nothing is left to read. */
static bool is_as_told(struct task *t, const struct pollfd *told)
{
    struct pollfd now = {borrow(t, told->fd), told->events | POLLIN, 0};
    if (now.fd < 0)
        return true;
    poll(&now, 1, 0);
    close(now.fd);
    bool only_selects = told->revents == POLLIN && now.revents & POLLHUP;      /* select calls an end readable */
    return only_selects || ((now.revents & told->revents) == told->revents && (told->revents & POLLIN || !(now.revents & POLLIN)));
}

/* Its end by a signal of another process is certain, too. */
static bool is_ended(struct task *t, const struct event *e)
{
    return is_readiness_wait(call_of(t->nr)) && replay_ender(t, e);
}

static bool looks_for_child(struct task *t, const struct record *r)
{
    return call_of(t->nr)->hook == REX_HOOK_WAIT && t->args[t->nr == REX_NR_wait4 ? 2 : 3] & WNOHANG && replay_waited(r) > 0;
}

/* Whether the call of a process with threads is answered as that of one without. */
bool replay_is_alone(struct task *t, const struct event *e)
{
    struct asked a;
    return has_shared_work(t) && !is_kin(t) && !t->leader->is_paced && e->record->call == t->nr && replay_next(t) == e && do_mates_rest(t)
        && (looks_for_child(t, e->record) || is_ended(t, e) || asks(t, e->record, &a));
}

/* Its time has not come: things are not yet as they were. */
bool replay_alone_waits(struct task *t, const struct event *e)
{
    struct asked a;
    if (!replay_is_alone(t, e))
        return false;
    if (looks_for_child(t, e->record)) {
        const struct task *child = replay_job_waited(t, (uint32_t)replay_waited(e->record));
        return child && child->alive;
    }
    if (is_ended(t, e))
        return replay_ends_later(t, e);
    if (asks(t, e->record, &a))
        for (size_t i = 0; i < a.count; i++)
            if (a.fd[i].revents && !is_as_told(t, &a.fd[i]))
                return true;
    return false;
}

/* Whether any waits for what no stop tells of. */
bool replay_alone_listens(void)
{
    for (struct task *t = tasks; t; t = t->next)
        if (t->alive && t->held && t->matched && is_readiness_wait(call_of(t->nr)))
            return true;
    return false;
}

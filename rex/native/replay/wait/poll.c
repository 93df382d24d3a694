/* Replay of poll, select and epoll: what the log says was ready is ready.  Readiness
 * of the experiment's own pipes is waited for, so that what is read next is there. */
#include "base/base.h"
#include "log/log.h"
#include "mode/mode.h"
#include "replay/clock/clock.h"
#include "replay/index/index.h"
#include "replay/net/net.h"
#include "replay/progress/delays.h"
#include "replay/progress/progress.h"
#include "replay/regime/regime.h"
#include "replay/send/send.h"
#include "replay/tasks/tasks.h"
#include "replay/wait/internal.h"
#include "replay/wait/wait.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"
#include "turns/turns.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

/* An inner descriptor that must be ready before its process goes on: reads of watched ones wait for themselves. */
bool replay_is_awaited(struct task *t, int fd)
{
    return !files_stream(t->files, fd) && (!files_piped(t->files, fd) || shares_memory(t));
}

/* With a signal mask of its own a call that was interrupted becomes a wait for that signal. */
static bool interrupted(struct task *t, struct event *e, uint64_t mask)
{
    if (e->record->result != -EINTR || !mask || !replay_send(t, e))
        return false;
    struct user_regs_struct r = t->regs;
    r.orig_rax = REX_NR_rt_sigsuspend;
    r.rdi = mask;
    r.rsi = 8;
    regs_set(t, &r);
    t->want_exit = true;
    return true;
}

static uint64_t mask_of(struct task *t)
{
    uint64_t mask = 0;
    int at = arg_of(t->nr, REX_WORD_SIGSET);
    if (at < 0 && t->nr == REX_NR_pselect6 && t->args[5])
        mem_read(t->tid, t->args[5], &mask, sizeof mask);
    return at < 0 ? mask : t->args[at];
}

/* ------------------------------------------------------------------ poll */

/* Leaves only internal descriptors that the log has as ready; how many. */
static int internal_ready(struct task *t, const struct record *r, struct pollfd *now, size_t count)
{
    const struct field *f = record_field(r, 0, FIELD_OUT);
    int left = 0;
    if (!f || f->length < count * sizeof *now)
        return 0;
    const struct pollfd *was = (const void *)f->data;
    for (size_t i = 0; i < count; i++) {
        bool wait = was[i].revents && now[i].fd >= 0 && replay_is_awaited(t, now[i].fd);
        now[i].fd = wait ? now[i].fd : -1;
        left += wait;
    }
    return left;
}

static bool poll_entry(struct task *t, const struct record *r)
{
    static struct pollfd fds[FEW];
    size_t count = (size_t)t->args[1];
    if (count > FEW || !mem_read(t->tid, t->args[0], fds, count * sizeof *fds)
        || !internal_ready(t, r, fds, count) || !mem_write(t->tid, t->args[0], fds, count * sizeof *fds))
        return false;
    struct user_regs_struct regs = t->regs;
    regs.orig_rax = REX_NR_poll;
    regs.rdx = (ull)-1;
    regs_set(t, &regs);
    return true;
}

/* ------------------------------------------------------------------ select */

static bool select_entry(struct task *t, const struct record *r)
{
    bool any = false;
    int nfds = (int)t->args[0];
    if (nfds > FD_SETSIZE)
        return false;
    for (int k = 1; k <= 3; k++) {
        const struct field *f = record_field(r, (uint8_t)k, FIELD_OUT);
        fd_set set;
        if (!f || !t->args[k] || f->length > sizeof set)
            continue;
        FD_ZERO(&set);
        memcpy(&set, f->data, f->length);
        for (int fd = 0; fd < nfds; fd++)
            if (FD_ISSET(fd, &set) && !replay_is_awaited(t, fd))
                FD_CLR(fd, &set);
            else
                any = any || FD_ISSET(fd, &set);
        mem_write(t->tid, t->args[k], &set, f->length);
    }
    if (!any)
        return false;
    struct user_regs_struct regs = t->regs;
    regs.orig_rax = REX_NR_select;
    regs.r8 = 0;
    regs_set(t, &regs);
    return true;
}

/* ------------------------------------------------------------------ epoll */

static bool epoll_entry(struct task *t, const struct record *r)
{
    const struct field *f = record_field(r, 1, FIELD_OUT);
    bool any = false;
    for (size_t i = 0; f && i + sizeof(struct epoll_event) <= f->length; i += sizeof(struct epoll_event)) {
        struct epoll_event e;
        memcpy(&e, f->data + i, sizeof e);
        any = any || !replay_is_watched(t, e.data.u64, true);
    }
    if (!any)
        return false;
    struct user_regs_struct regs = t->regs;
    regs.orig_rax = REX_NR_epoll_wait;
    regs.r10 = (ull)-1;
    regs_set(t, &regs);
    return true;
}

/* ------------------------------------------------------------------ entry and exit */

void replay_poll(struct task *t, struct event *e)
{
    const struct record *r = e->record;
    bool wait = false;
    if (interrupted(t, e, mask_of(t)) || replay_wait_freely(t, e))
        return;
    if (r->result > 0 && has_shared_work(t) && !replay_is_alone(t, e)) {
        wait_state(t)->is_forced = false;
        replay_report_external(t, e);
        return;
    }
    if (r->result > 0 && !is_serialized())      /* there the order brings about what is ready */
        switch (call_of(t->nr)->hook) {
        case REX_HOOK_POLL:
            wait = poll_entry(t, r);
            break;
        case REX_HOOK_SELECT:
            wait = select_entry(t, r);
            break;
        default:
            wait = epoll_entry(t, r);
        }
    if (wait)
        t->want_exit = true;
    else
        replay_emulate(t, e);
}

/* A wait that is made more often than when recorded: the child whose end the log has before the next is still there. */
bool replay_waits_for_end(struct task *t, const struct event *next)
{
    bool may_be = has_shared_work(t) && is_readiness_wait(call_of(t->nr)) && t->injected != next && next->record->args[0] == SIGCHLD;
    const struct task_log *child = may_be ? replay_sender_of(next) : NULL;
    return child && task_named(child->tid) && !replay_is_sent(t, next) && !replay_alone_awaits(t, next) && replay_wait_freely(t, NULL);
}

/* Where a wait has its limit, or the pointer to it. */
static ull *limit_in(struct user_regs_struct *r, const struct rex_call *c)
{
    ull *const args[] = {&r->rdi, &r->rsi, &r->rdx, &r->r10, &r->r8, &r->r9};
    return args[c->limit_arg];
}

static void wait_on(struct task *t)
{
    struct user_regs_struct r = t->regs;
    const struct rex_call *c = call_of(t->nr);
    *limit_in(&r, c) = has_limit_in_ms(c) ? (ull)-1 : 0;
    regs_set(t, &r);
}

/* The one thread of a process waited until a process outside its memory group sent a signal.  A replay, which may be slower, does not reach the
 * timeout before that. */
void replay_wait_for_signal(struct task *t, const struct event *e)
{
    bool is_own = e && e->record->result == -EINTR && !t->leader->threaded && replay_next(t) == e;
    const struct event *signal = is_own ? replay_ender(t, e) : NULL;
    const struct task_log *sender = signal ? replay_sender_of(signal) : NULL;
    if (sender && !replay_is_sibling(t, sender))
        wait_on(t);
}

/* ------------------------------------------------------------------ between threads: see replay/wait/poll_threads.c */

/* Takes what is outside out of the wait; poll's descriptors come back at its end. */
void replay_wait_inside(struct task *t)
{
    static struct pollfd fds[FEW];
    size_t count = (size_t)t->args[1];
    if (call_of(t->nr)->hook == REX_HOOK_POLL && count <= FEW && mem_read(t->tid, t->args[0], fds, count * sizeof *fds)) {
        for (size_t i = 0; i < count; i++)
            if (fds[i].fd >= 0 && files_stream(t->files, fds[i].fd))
                fds[i].fd = ~fds[i].fd;   /* negative: not waited for */
        mem_write(t->tid, t->args[0], fds, count * sizeof *fds);
        t->want_exit = true;
    }
    for (int k = 1; k <= 3 && call_of(t->nr)->hook == REX_HOOK_SELECT; k++) {
        int nfds = (int)t->args[0];
        fd_set set;
        size_t n = (size_t)(nfds + 63) / 64 * 8;
        if (!t->args[k] || n > sizeof set || !mem_read(t->tid, t->args[k], &set, n))
            continue;
        for (int fd = 0; fd < nfds; fd++)
            if (FD_ISSET(fd, &set) && files_stream(t->files, fd))
                FD_CLR(fd, &set);
        mem_write(t->tid, t->args[k], &set, n);
    }
}

/* At the end of a free wait. */
static void come_back(struct task *t)
{
    static struct pollfd fds[FEW];
    size_t count = (size_t)t->args[1];
    if (call_of(t->nr)->hook != REX_HOOK_POLL || count > FEW || !mem_read(t->tid, t->args[0], fds, count * sizeof *fds))
        return;
    for (size_t i = 0; i < count; i++)
        if (fds[i].fd < -1 && files_stream(t->files, ~fds[i].fd))
            fds[i].fd = ~fds[i].fd;
    mem_write(t->tid, t->args[0], fds, count * sizeof *fds);
}

/* How long the wait was to be at most, ns; as it is where that is not known. */
uint64_t replay_wait_limit(struct task *t, uint64_t passed)
{
    const struct rex_call *c = call_of(t->nr);
    uint64_t limit = passed;
    struct timespec ts;
    if (!c || !is_readiness_wait(c))
        return passed;
    if (has_limit_in_ms(c))
        limit = (uint64_t)(int)t->args[c->limit_arg] * 1000000u;
    else if (mem_read(t->tid, t->args[c->limit_arg], &ts, sizeof ts))
        limit = (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec * (c->arg[c->limit_arg].word == REX_WORD_TIMEVAL ? 1000 : 1);
    return limit < passed ? limit : passed;
}

/* The time of a wait that ran out is over: those that say how much was left say that none was. */
void replay_wait_spent(struct task *t)
{
    static const struct timespec none;
    const struct rex_call *c = call_of(t->nr);
    if (is_readiness_wait(c) && c->arg[c->limit_arg].dir == REX_INOUT)
        mem_write(t->tid, t->args[c->limit_arg], &none, sizeof none);
}

/* What ended that wait when recorded came before its time was over.  So it does here, where all may be slower. */
void replay_wait_longer(struct task *t, const struct event *e)
{
    enum { MS = 1000000, MOST_MS = GIVE_UP_NS / MS };
    struct user_regs_struct r = t->regs;
    const struct rex_call *c = call_of(t->nr);
    ull *limit = limit_in(&r, c);
    uint64_t read_at = replay_last_readings(t)->clock_at;
    int now = has_limit_in_ms(c) ? (int)*limit : 0;
    if (now <= 0 || now > INT32_MAX - MOST_MS || !read_at || e->record->result <= 0 || e->record->time >= read_at + (ull)now * MS)
        return;
    *limit = (ull)(now + (now < MOST_MS / SLOWER ? (SLOWER - 1) * now + (int)(BUSY_NS / MS) : MOST_MS));
    regs_set(t, &r);
}

void replay_poll_exit(struct task *t, struct event *e, int64_t result)
{
    if (!e) {
        come_back(t);
        t->waits_inside = false;
        if (result >= 0)
            replay_lines_waited(t);
        if ((t->wait_ended && result == -EINTR) || is_disturbed(t, result)) {
            rewind_call(t);
            return;
        }
        if (result >= 0) {                /* else it is made again, as it has been changed */
            replay_wait_end(t)->has_come = false;
            t->outside = NULL;
            wait_state(t)->is_forced = false;
        }
        if (result == 0) {                /* time has passed for this thread, whatever the log says */
            t->only_waits = true;
            const struct wait_end *end = replay_wait_end(t);
            uint64_t limit = replay_wait_limit(t, log_now() - wait_state(t)->wait_began);
            replay_clock_passed(t, t->wait_ended && end->at ? end->deadline : replay_last_readings(t)->clock + limit);
            if (limit)
                replay_runtime_waited(t);
        }
        return;
    }
    if (e->record->result >= 0)
        put_outputs(t, e->record);
    give_result(t, e->record->result);
}

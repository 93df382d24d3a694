/* Record: signals, at the place where they are delivered. */
#include "base/base.h"
#include "fastpath/fastpath.h"
#include "log/log.h"
#include "mode/mode.h"
#include "record/internal.h"
#include "record/record.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"
#include "track/track.h"
#include "turns/turns.h"

#include <linux/futex.h>
#include <sys/file.h>

/* An untraced kernel does not report a child's end where no handler waits for it.  With one task at a time the report shows which
 * task lost its place in a queue. */
static bool is_unheard(const struct task *t, const siginfo_t *info)
{
    return !is_serialized() && info->si_signo == SIGCHLD && !is_caught(t->tid, SIGCHLD);
}

void record_delivery(struct task *t, bool restarted, enum moment moment)
{
    static struct bytes out;
    siginfo_t info;
    memcpy(&info, record_state(t)->siginfo, sizeof info);
    if (is_unheard(t, &info))
        return;
    log_begin(&out, EVENT_SIGNAL, t->index);
    struct record *r = (struct record *)out.data;
    r->args[0] = (uint64_t)info.si_signo;
    r->args[1] = restarted;
    r->args[2] = moment;
    r->args[3] = moment == AT_UNSEEN_CALL ? regs_get(t).rax : turns_place(t)->calls;
    r->args[4] = moment == AT_UNSEEN_CALL ? place_in_file(t) : turns_place(t)->cut;
    r->args[5] = turns_place(t)->cut ? turns_place(t)->cut_passed : turn.passed;
    r->result = turns_place(t)->cut ? (int64_t)turns_place(t)->cut_calls : moment == AT_UNBLOCK || moment == AT_UNSEEN_CALL ? (int64_t)fast_caller_sp(t)
        : moment == IN_UNSEEN_CALL ? (int64_t)regs_get(t).orig_rax : 0;
    log_field(&out, FIELD_WHOLE, FIELD_OUT, &info, sizeof info);
    log_end(&out);
    t->returned_at = 0;                   /* a further one there comes after this one */
}

static void signal_restarted(struct task *t)
{
    t->stepping = false;
    record_state(t)->pending.used = 0;
    record_state(t)->goes_on = true;
    record_delivery(t, true, BETWEEN_CALLS);
}

/* As a handler begins: the frame below holds its return address; 0 if that cannot be read. */
static uint64_t handler_returns_to(struct task *t, const struct user_regs_struct *r)
{
    enum { SAVED_RIP = 8 + 40 + 16 * 8 };
    uint64_t back = 0;
    mem_read(t->tid, r->rsp + SAVED_RIP, &back, sizeof back);
    return back;
}

/* After one step into a handler. */
void record_stepped(struct task *t)
{
    struct record_state *s = record_state(t);
    struct user_regs_struct r = regs_get(t);
    uint64_t back = handler_returns_to(t, &r);
    t->stepping = s->goes_on = false;
    if (s->pending.used) {
        if (back == t->regs.rip) {
            log_end(&s->pending);
            turns_count(t);
            turns_place(t)->cut = false;
        }
        s->pending.used = 0;
    }
    record_delivery(t, back != t->regs.rip, back == t->regs.rip ? WITH_LAST_EVENT : BETWEEN_CALLS);
}

/* The handler of the signal before has not begun: the kernel has made its frame, which may make a call again, and found
 * another signal. */
static bool is_nested(struct task *t, const struct user_regs_struct *r)
{
    uint64_t back = record_state(t)->last_signal && r->rdi == (uint64_t)record_state(t)->last_signal ? handler_returns_to(t, r) : 0;
    return back && (back == record_state(t)->last_signal_rip || back + 2 == record_state(t)->last_signal_rip);
}

/* The call has returned and has unblocked the signal: its old mask, if it asked for that, shows this; otherwise the set does.  A call
 * that only queries the mask, or sets it to the same value, unblocks nothing. */
static bool lets_in(struct task *t, const struct user_regs_struct *r, int sig)
{
    uint64_t set = 0;
    bool has_old = r->rdx, is_set = false;
    if ((long)r->orig_rax != REX_NR_rt_sigprocmask || !is_syscall_at(t->tid, r->rip - 2) || !mem_read(t->tid, has_old ? r->rdx : r->rsi, &set, sizeof set))
        return false;
    is_set = set >> (sig - 1) & 1;
    return has_old || r->rdi != SIG_SETMASK ? is_set : !is_set;
}

/* A replay that sends it right after the last event has it delivered at this very point.  A signal that was
 * blocked is delivered as it is unblocked; the stack pointer distinguishes that point from others. */
static enum moment moment_of(struct task *t, int sig)
{
    struct user_regs_struct r = regs_get(t);
    bool unblocks = lets_in(t, &r, sig);
    if (is_cut_short(t))
        return IN_UNSEEN_CALL;
    if (is_nested(t, &r))
        return AT_HANDLER;
    if (sig == SIGXFSZ)
        return BETWEEN_CALLS;             /* with the call that is refused: a replay knows which, also if the log has no event of it */
    return r.rip == t->returned_at || (unblocks && is_serialized()) ? WITH_LAST_EVENT : unblocks ? AT_UNBLOCK : BETWEEN_CALLS;
}

/* ------------------------------------------------------------------ deferred signals */

/* A signal that arrives during computation waits for the thread's next call that is in the log or that may
 * sleep: a replay can find that point.  If there is no such call for long, the signal is delivered as it would have been. */
struct deferred { struct deferred *next; siginfo_t info; ull used; bool is_sent, is_shut_out; enum moment moment; };
enum { LOOK_NS = 1000000 };
static unsigned unsent;

bool record_defers(void)
{
    return unsent > 0;
}

bool record_awaits_call(struct task *t)
{
    return record_state(t)->deferred && !record_state(t)->deferred->is_sent;
}

static void drop_first(struct task *t)
{
    struct deferred *d = record_state(t)->deferred;
    unsent -= !d->is_sent;
    record_state(t)->deferred = d->next;
    free(d);
    cause_limit(t);
}

void record_forget_deferred(struct task *t)
{
    while (record_state(t)->deferred)
        drop_first(t);
}

/* Caused by what the thread does, which waits for it, or sent among threads, whose runtime does. */
static bool is_answer(const struct task *t, const siginfo_t *info)
{
    switch (info->si_signo) {
    case SIGSEGV: case SIGBUS: case SIGFPE: case SIGILL: case SIGTRAP: case SIGSYS: case SIGPIPE: case SIGXFSZ:
        return true;
    }
    return info->si_code == SI_TKILL && info->si_pid == t->leader->tid;
}

static bool is_deferrable(struct task *t, const siginfo_t *info)
{
    struct user_regs_struct r = regs_get(t);
    bool ends_call = (long)r.orig_rax != NO_CALL && (int64_t)r.rax == -EINTR;
    return !ends_call && !is_answer(t, info) && moment_of(t, info->si_signo) == BETWEEN_CALLS && is_caught(t->tid, info->si_signo);
}

static void defer(struct task *t, const siginfo_t *info)
{
    struct deferred **end = &record_state(t)->deferred;
    for (; *end; end = &(*end)->next)
        if (info->si_signo < SIGRTMIN && (*end)->info.si_signo == info->si_signo && !(*end)->is_sent)
            return;                       /* as if it were pending */
    *end = zalloc(sizeof **end);
    **end = (struct deferred){.info = *info, .used = task_usage(t).ran};
    unsent++;
    cause_limit(t);
}

static bool send_first(struct task *t)
{
    struct deferred *d = record_state(t)->deferred;
    d->is_sent = !tgkill(t->leader->tid, t->tid, d->info.si_signo);
    unsent -= d->is_sent;
    return d->is_sent;
}

static bool has_own_mask(long nr)
{
    return nr == REX_NR_rt_sigsuspend || nr == REX_NR_rt_sigtimedwait || nr == REX_NR_rt_sigpending
        || nr == REX_NR_pselect6 || (is_readiness_wait(call_of(nr)) && arg_of(nr, REX_WORD_SIGSET) >= 0);
}

/* Of a call that the log does not have. */
static bool may_sleep(struct task *t)
{
    if (t->nr == REX_NR_futex)
        return (t->args[1] & FUTEX_CMD_MASK) == FUTEX_WAIT || (t->args[1] & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET;
    if (t->nr == REX_NR_flock)
        return !(t->args[1] & LOCK_NB);
    mode_t kind = kind_read_or_written(t);
    return kind == S_IFIFO || kind == S_IFSOCK;
}

/* Only one thread moves on in the file, as it is used by what threads share. */
static bool is_placed(const struct task *t)
{
    return !t->leader->threaded && place_in_file(t);
}

static enum moment moment_before(struct task *t, bool external)
{
    if (is_pipe_call(t) || is_shared_call(t) || closes_pipe(t))
        return AT_NEXT_CALL;
    if (is_descriptor_call(t))
        return BETWEEN_CALLS;
    return !is_unlogged(t, external) ? AT_NEXT_CALL : may_sleep(t) || is_placed(t) ? AT_UNSEEN_CALL : BETWEEN_CALLS;
}

/* At a call's entry: true if the signal comes now, and the call begins after it.  A signal that the program blocks meanwhile
 * comes as it is unblocked, if a logged call distinguishes that point from others. */
bool record_deferred_comes(struct task *t, bool external)
{
    if (is_serialized() || !record_awaits_call(t))
        return false;
    int sig = record_state(t)->deferred->info.si_signo;
    if (task_masks(t, sig, SIG_BLOCK))
        record_state(t)->deferred->is_shut_out = true;
    else if (task_masks(t, sig, SIG_UNBLOCK))
        record_state(t)->deferred->is_shut_out = false;
    enum moment moment = moment_before(t, external);
    if (moment == BETWEEN_CALLS)
        return false;
    bool is_held = task_blocks(t, sig);
    if ((is_held && !has_own_mask(t->nr) && !record_state(t)->deferred->is_shut_out) || !send_first(t) || is_held)
        return false;
    record_state(t)->deferred->moment = moment;
    rewind_call(t);
    return true;
}

/* One task at a time: as it gets the turn. */
void record_release(struct task *t)
{
    if (record_awaits_call(t) && !task_blocks(t, record_state(t)->deferred->info.si_signo))
        send_first(t);
}

/* It computes for long, or waits in a call that the log does not have. */
void record_overdue(void)
{
    static ull looked_at;
    if (!unsent || log_now() - looked_at < LOOK_NS)
        return;
    looked_at = log_now();
    for (struct task *t = tasks; t; t = t->next)
        if (t->alive && record_awaits_call(t)
            && (task_state(t) == 'S' || task_usage(t).ran - record_state(t)->deferred->used > DEFERRED_NS))
            send_first(t);
}

/* Whether it is the one that was sent again; what it says is then as it was. */
static bool is_back(struct task *t)
{
    siginfo_t info;
    struct deferred *d = record_state(t)->deferred;
    memcpy(&info, record_state(t)->siginfo, sizeof info);
    if (!d || !d->is_sent || info.si_signo != d->info.si_signo || info.si_code != SI_TKILL || info.si_pid == t->leader->tid)
        return false;
    memcpy(record_state(t)->siginfo, &d->info, sizeof info);
    ptrace(PTRACE_SETSIGINFO, t->tid, 0, record_state(t)->siginfo);
    drop_first(t);
    return true;
}

bool record_signal(struct task *t, int sig)
{
    struct record_state *s = record_state(t);
    siginfo_t info;
    if (t->stepping)
        record_stepped(t);                       /* another one before the first handler ran */
    ptrace(PTRACE_GETSIGINFO, t->tid, 0, s->siginfo);
    enum moment deferred_to = s->deferred ? s->deferred->moment : BETWEEN_CALLS;
    bool back = is_back(t);
    memcpy(&info, s->siginfo, sizeof info);
    if (sig == SIGBUS && info.si_code == BUS_ADRERR)
        log_note(t->index, "SIGBUS in a mapped file: where the file system was full there, and the file did not end, a replay does not repeat it");
    if (!back && !s->pending.used && is_deferrable(t, &info)) {
        defer(t, &info);
        return false;
    }
    if (s->pending.used && is_caught(t->tid, sig))
        t->stepping = true;
    else if (s->pending.used)
        signal_restarted(t);              /* or deadly */
    else
        record_delivery(t, false, back && deferred_to ? deferred_to : moment_of(t, sig));
    s->last_signal = sig;
    s->last_signal_rip = regs_get(t).rip;
    return true;
}

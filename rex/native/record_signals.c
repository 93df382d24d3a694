/* Record: signals, at the place where they are delivered. */
#include "engine.h"

void record_delivery(struct task *t, bool restarted, enum moment moment)
{
    static struct bytes out;
    siginfo_t info;
    log_begin(&out, EVENT_SIGNAL, t->index);
    struct record *r = (struct record *)out.data;
    memcpy(&info, t->siginfo, sizeof info);
    r->args[0] = (uint64_t)info.si_signo;
    r->args[1] = restarted;
    r->args[2] = moment;
    r->args[3] = t->calls;
    r->args[4] = t->cut;
    r->args[5] = t->cut ? t->cut_passed : turn.passed;
    r->result = t->cut ? (int64_t)t->cut_calls : 0;
    log_field(&out, FIELD_WHOLE, FIELD_OUT, &info, sizeof info);
    log_end(&out);
}

static void signal_restarted(struct task *t)
{
    t->stepping = false;
    t->pending->used = 0;
    record_delivery(t, true, BETWEEN_CALLS);
}

/* After one step into a handler: the frame below tells where it returns to. */
void record_stepped(struct task *t)
{
    enum { SAVED_RIP = 8 + 40 + 16 * 8 };
    struct user_regs_struct r = regs_get(t);
    uint64_t back = 0;
    t->stepping = false;
    mem_read(t->tid, r.rsp + SAVED_RIP, &back, sizeof back);
    if (t->pending && t->pending->used) {
        if (back == t->regs.rip) {
            log_end(t->pending);
            serial_counted(t);
            t->cut = false;
        }
        t->pending->used = 0;
    }
    record_delivery(t, back != t->regs.rip, back == t->regs.rip ? WITH_LAST_EVENT : BETWEEN_CALLS);
}

/* Delivered as the last event's call returned, or held back by the mask until now: a
 * replay that sends it right after that event has it delivered at this very place. */
static enum moment moment_of(struct task *t)
{
    if (is_cut_short(t))
        return IN_UNSEEN_CALL;
    struct user_regs_struct r = regs_get(t);
    return r.rip == t->returned_at || (long)r.orig_rax == REX_NR_rt_sigprocmask ? WITH_LAST_EVENT : BETWEEN_CALLS;
}

/* Whether the program has a handler for the signal. */
static bool is_caught(const struct task *t, int sig)
{
    ull caught = 0;
    proc_value(t->tid, "status", "SigCgt: %llx", &caught);
    return caught >> (sig - 1) & 1;
}

bool record_signal(struct task *t, int sig)
{
    if (t->stepping)
        record_stepped(t);                       /* another one before the first handler ran */
    ptrace(PTRACE_GETSIGINFO, t->tid, 0, t->siginfo);
    if (t->pending && t->pending->used && is_caught(t, sig))
        t->stepping = true;
    else if (t->pending && t->pending->used)
        signal_restarted(t);              /* or deadly */
    else
        record_delivery(t, false, moment_of(t));
    return true;
}

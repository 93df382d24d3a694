/* Stops, signals and names of tasks: what record and replay share. */
#include "base/base.h"
#include "cpu/cpu.h"
#include "engine/engine.h"
#include "engine/internal.h"
#include "fastpath/fastpath.h"
#include "mode/mode.h"
#include "tracee/task.h"
#include "tracee/tracee.h"
#include "track/track.h"

#include <fcntl.h>
#include <linux/ptrace.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

enum { EVENT_STOP = 128 };        /* PTRACE_EVENT_STOP */

static int first_status;

/* First stops of tasks whose parent's event has not come yet. */
static struct { pid_t tid; int status; } *early;
static size_t early_count;

/* ------------------------------------------------------------------ stops */

static bool at_exit_stop(struct task *t, struct ptrace_syscall_info *info)
{
    if (ptrace(PTRACE_GET_SYSCALL_INFO, t->tid, sizeof *info, info) <= 0) {
        struct user_regs_struct r = regs_get(t);
        info->op = t->state != CALL_NONE ? PTRACE_SYSCALL_INFO_EXIT : PTRACE_SYSCALL_INFO_ENTRY;
        info->instruction_pointer = r.rip;
        info->exit.rval = (int64_t)r.rax;
    }
    return info->op == PTRACE_SYSCALL_INFO_EXIT;
}

static void enter(struct task *t, bool by_entry_stop)
{
    t->regs = regs_get(t);
    if (!t->regs.rip)
        return;                   /* another thread has executed or ended the process meanwhile */
    t->nr = (long)(int)t->regs.orig_rax;
    take_arguments(t);
    t->state = CALL_ENTERED;
    t->by_entry_stop = by_entry_stop;
    t->want_exit = false;
    if (!scheduler || !scheduler->holds(t))
        go_on_entering(t);
}

void go_on_entering(struct task *t)
{
    if (fast_yields(t) || program_filter_refuses(t) || process_option_answered(t))
        ;
    else if (fast_passes(t)) {
        if (fast_is_stale(t) || !filter_watch(t))
            t->state = CALL_IGNORED;
    } else if (!fast_entry(t) && !filter_watch(t)) {
        run_mode->entry(t);
        if (scheduler)
            scheduler->entered(t);
    }
    if (!t->held) {
        fast_ends(t);
        resume(t, 0);
    }
}

static void leave(struct task *t, const struct ptrace_syscall_info *info)
{
    bool cut = is_serialized() && (is_cut_short(t) || is_disturbed(t, info->exit.rval));
    if (t->state == CALL_ENTERED && t->want_exit) {
        own_memory_hide(t, info->exit.rval);
        if (!info->instruction_pointer)
            return;               /* see enter() */
        t->want_exit = false;
        t->state = CALL_NONE;
        if (t->then) {
            t->then(t, info->exit.rval);
            t->then = NULL;
            rewind_call(t);
        } else if (!pipes_made(t, info->exit.rval))
            run_mode->exit(t, info->exit.rval);
    }
    random_returned(t);
    t->state = CALL_NONE;
    if (scheduler)
        scheduler->returned(t, cut);
    if (!t->held)
        resume(t, 0);
}

static bool is_group_stop(int sig)
{
    return sig == SIGSTOP || sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU;
}

static void event_stop(struct task *t, int sig)
{
    if (!t->started) {
        t->started = true;
        fast_born(t);
        run_mode->start(t);
    }
    if (scheduler && scheduler->interrupted(t))
        return;
    fast_look_again(t);
    t->listening = is_group_stop(sig);
    if (!t->listening) {
        resume(t, 0);
        return;
    }
    ptrace(PTRACE_LISTEN, t->tid, 0, 0);
    if (t->tid == spawned && run_mode->stopped)
        run_mode->stopped();
}

static void born(struct task *t, bool vforked)
{
    unsigned long tid = 0;
    t->vforking = vforked;
    ptrace(PTRACE_GETEVENTMSG, t->tid, 0, &tid);
    uint64_t flags = fork_flags(t);
    struct task *child = task_new((pid_t)tid, t, flags);
    run_mode->born(t, child, flags);
    for (size_t i = 0; i < early_count; i++)
        if (early[i].tid == child->tid) {
            early[i] = early[--early_count];
            child->started = true;
            fast_born(child);
            run_mode->start(child);
            resume(child, 0);
            break;
        }
    resume(t, 0);
}

/* A thread that executes takes the name of its leader; the others are gone. */
static struct task *exec_leader(struct task *t)
{
    unsigned long former = 0;
    ptrace(PTRACE_GETEVENTMSG, t->tid, 0, &former);
    if ((pid_t)former == t->tid)
        return t;
    struct task *caller = task_of((pid_t)former);
    if (!caller)
        return t;
    run_mode->ended(t, 0, &(struct rusage){0});
    pid_t tid = t->tid;
    int threads = t->threads;
    t->tid = 0;
    task_renamed(caller);
    task_end(t);
    caller->tid = tid;
    caller->leader = caller;
    caller->threads = threads - 1;
    return caller;
}

static void execed(struct task *t)
{
    t = exec_leader(t);
    task_exec(t);
    run_mode->execed(t);
    tsc_executed(t);
    sites_executed(t);
    random_executed(t);
    t->want_exit = false;
    t->state = CALL_IGNORED;
    resume(t, 0);
}

static void signal_stop(struct task *t, int sig)
{
    if (sig == SIGTRAP && t->stepping) {
        t->stepping = false;
        run_mode->stepped(t);
        resume(t, 0);
        return;
    }
    if ((sig == SIGSEGV && (tsc_emulate(t) || counter_lands(t))) || (sig == SIGILL && (random_emulate(t) || counter_lands(t)))) {
        if (!polls_hold(t))
            resume(t, 0);
        return;
    }
    if (t->ring && fast_leave_stub(t)) {
        fast_sync(t, false);
        t->returned_at = regs_get(t).rip;
    } else
        fast_look_again(t);
    if (sig == SIGSYS)
        program_filter_trapped(t);
    int deliver = run_mode->signal(t, sig) ? sig : 0;
    if (deliver && t->stepping)
        ptrace(PTRACE_SINGLESTEP, t->tid, 0, deliver);
    else
        resume(t, deliver);
}

static void stop(struct task *t, int status)
{
    int sig = WSTOPSIG(status), event = status >> 16;
    struct ptrace_syscall_info info = {0};
    t->runs_freely = false;
    if (t->ring && event != PTRACE_EVENT_EXEC)     /* then it is no more */
        fast_sync(t, event == PTRACE_EVENT_EXIT);
    if (sig == (SIGTRAP | 0x80)) {
        if (at_exit_stop(t, &info))
            leave(t, &info);
        else
            enter(t, true);
    } else if (event == PTRACE_EVENT_SECCOMP) {
        if (t->state != CALL_NONE && t->by_entry_stop && !is_shared_meanwhile(t))
            resume(t, 0);         /* its entry-stop came just before */
        else
            enter(t, false);
    } else if (event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK || event == PTRACE_EVENT_CLONE)
        born(t, event == PTRACE_EVENT_VFORK);
    else if (event == PTRACE_EVENT_EXEC)
        execed(t);
    else if (event == EVENT_STOP)
        event_stop(t, sig);
    else if (event) {
        if (event == PTRACE_EVENT_EXIT && run_mode->leaves)
            run_mode->leaves(t);
        t->restarts |= event == PTRACE_EVENT_EXIT;     /* nobody waits for the turn to end */
        resume(t, 0);
    } else
        signal_stop(t, sig);
}

static void ended(pid_t tid, int status, const struct rusage *used)
{
    struct task *t = task_of(tid);
    if (tid == spawned)
        first_status = status;
    if (!t)
        return;
    run_mode->ended(t, status, used);
    task_end(t);
}

/* The kernel may be waited for without a limit. */
static bool is_patient(void)
{
    return run_mode->is_patient && !scheduler && !run_mode->next_look_ns();
}

static long beat_ns(ull look_ns)
{
    return scheduler ? scheduler->beat_ns() : look_ns ? (long)look_ns : LOOKS_SELDOM_NS;
}

static void wait_beat(ull left_ns)       /* at most so long, unless it is 0 */
{
    static unsigned beats;
    ull look_ns = run_mode->next_look_ns();
    struct timespec beat = {0, beat_ns(look_ns)};
    bool is_short = left_ns && left_ns < (ull)beat.tv_nsec;
    beat.tv_nsec = is_short ? (long)left_ns : beat.tv_nsec;
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    place_rest(true);
    int sig = sigtimedwait(&child, NULL, &beat);
    place_rest(false);
    if (sig >= 0 || errno != EAGAIN || is_short)
        return;
    if (scheduler)
        scheduler->idle();
    else {
        run_mode->settle();
        if (look_ns != LOOKS_OFTEN_NS || ++beats % 50 == 0)
            run_mode->idle();
    }
}

/* One report of the kernel; false when no tracee is left.  While patient, it
 * waits for as long as it takes. */
static bool wait_one(pid_t *tid, int *status, struct rusage *used)
{
    for (;;) {
        if (run_mode->before_wait)
            run_mode->before_wait();
        ull left_ns = polls_left_ns();
        place_rest(true);
        *tid = next_report(status, __WALL | (is_patient() && !left_ns ? 0 : WNOHANG), used);
        place_rest(false);
        if (*tid > 0)
            return true;
        if (*tid < 0 && errno != EINTR)
            return false;
        if (spawn_forwarded == SIGTERM && run_mode->cancel)
            return true;
        if (spawn_forwarded) {
            kill(spawned, spawn_forwarded);
            spawn_forwarded = 0;
        }
        if (*tid == 0)
            wait_beat(left_ns);
    }
}

void take_report(pid_t tid, int status, const struct rusage *used)
{
    struct task *t = task_of(tid);
    if (WIFEXITED(status) || WIFSIGNALED(status))
        ended(tid, status, used);
    else if (t) {
        place_stopped(t);
        stop(t, status);
    } else {
        early = grow(early, early_count, sizeof *early);
        early[early_count].tid = tid;
        early[early_count++].status = status;
    }
}

/* Before a task ends its process or executes a program: report the threads that have already ended by themselves, so that
 * they differ from the threads that this call kills. */
void take_ended(const struct task *t)
{
    int status;
    struct rusage used;
    for (struct task *other = t->leader->threads > 1 ? tasks : NULL; other; ) {
        struct task *next = other->next;
        if (other->alive && other != t && other != t->leader && other->leader == t->leader && task_is_ending(other)
            && wait4(other->tid, &status, __WALL, &used) == other->tid)
            take_report(other->tid, status, &used);
        other = next;
    }
}

int trace(void)
{
    pid_t tid;
    int status;
    struct rusage used;
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, NULL);
    spawn();
    tsc_start();
    if (uses_log())
        tsc_allow(false); /* as to the tracees: else each switch between us writes CR4, which traps in a virtual machine */
    while (wait_one(&tid, &status, &used)) {
        if (spawn_forwarded == SIGTERM && run_mode->cancel)
            run_mode->cancel();
        if (tid > 0)
            take_report(tid, status, &used);
        run_mode->settle();
        if (scheduler)
            scheduler->settle();
        for (size_t i = 0; i < early_count && !tasks_alive(); i++)
            kill(early[i].tid, SIGKILL);      /* nobody is left to name it */
    }
    return first_status;
}

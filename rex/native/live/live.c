/* Live: a run on archived files with the rest of the system as it is.
 *
 * Names go through the view (live/namespace.c): queries of them are answered (live/names.c), the
 * tracer makes the changes (live/change_tree.c), and the kernel opens or executes
 * another path (live/open.c, live/exec.c).  While it is recorded, the recorder sees each call
 * before it is rewritten and after it was put right: only logical paths reach the log. */
#include "base/base.h"
#include "live/internal.h"
#include "live/live.h"
#include "mode/mode.h"
#include "record/record.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"
#include "track/track.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>

/* ------------------------------------------------------------------ what is used of this machine */

static struct table uses;

void live_use(enum live_kind kind, const char *what)
{
    static const char *const names[] = {"file", "directory", "program", "randomness", "network", "device", "system", "missing", "time"};
    char *line = text("%s\t%s", names[kind], what);
    void **known = table_at(&uses, line);
    if (!*known)
        report_line("live=%s", line);
    *known = &uses;
    free(line);
}

/* ------------------------------------------------------------------ answers */

/* The tracee gets the result, without a call of the kernel. */
void live_answer(struct task *t, int64_t result)
{
    if (live_state(t)->is_logged)
        recorder.exit(t, result);
    skip_call(t, result);
}

void live_rewritten(struct task *t, const struct user_regs_struct *r)
{
    regs_set(t, r);
    live_state(t)->is_rewritten = true;
    t->want_exit = true;
}

void live_rewrite(struct task *t, long nr, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    change_call(t, nr, a, b, c, d);
    live_state(t)->is_rewritten = true;
}

/* ------------------------------------------------------------------ calls */

static bool gives_address(long nr)
{
    return nr == REX_NR_connect || nr == REX_NR_bind || nr == REX_NR_sendto;
}

static bool takes_address(long nr)
{
    return op_of(nr) == REX_OP_SOCKNAME || op_of(nr) == REX_OP_ACCEPT;
}

/* Calls that may need memory in the tracee. */
static bool needs_scratch(long nr)
{
    return op_of(nr) == REX_OP_OPEN || op_of(nr) == REX_OP_EXEC || nr == REX_NR_chdir || nr == REX_NR_inotify_add_watch || gives_address(nr);
}

/* A process that has the device open stops at all its calls; only while it does. */
static bool is_random_open(struct task *t)
{
    return plan.seed && !run_mode->logs && t->files->high;
}

/* Calls that have one form. */
static void dispatch_by_number(struct task *t, const struct rex_call *c)
{
    switch (t->nr) {
    case REX_NR_getcwd:
        live_getcwd(t);
        break;
    case REX_NR_chdir:
        live_chdir(t);
        break;
    case REX_NR_statfs:
        live_statfs(t);
        break;
    case REX_NR_inotify_add_watch:
        live_watch(t);
        break;
    case REX_NR_getrandom:
        if (plan.seed)
            t->want_exit = true;
        else
            live_use(LIVE_RANDOM, "");
        break;
    default:
        if (gives_address(t->nr))
            live_address(t);
        else if (c->hook == REX_HOOK_TREE)
            live_tree(t);
        else if (name_args(t->nr).path >= 0 && c->policy != REX_REFUSE)
            live_answer(t, -ENOSYS);      /* nothing may reach a path by a way that we do not know */
    }
}

static void dispatch(struct task *t)
{
    const struct rex_call *c = call_of(t->nr);
    if (is_random_open(t) && (is_descriptor_call(t) || call_streams(t))) {
        descriptor_entry(t);
        t->want_exit = true;
    }
    switch (op_of(t->nr)) {
    case REX_OP_OPEN:
        live_open(t);
        break;
    case REX_OP_EXEC:
        live_exec(t);
        break;
    case REX_OP_STAT:
        live_stat(t);
        break;
    case REX_OP_ACCESS:
        if (!view_border(t))
            live_access(t);
        break;
    case REX_OP_READLINK:
        live_readlink(t);
        break;
    case REX_OP_LIST:
        live_getdents(t);
        break;
    case REX_OP_GETXATTR: case REX_OP_LISTXATTR:
        live_get_attributes(t);
        break;
    case REX_OP_SOCKNAME: case REX_OP_ACCEPT:
        t->want_exit = true;
        break;
    case REX_OP_CLOCK:                    /* these stop while recording only */
        live_use(LIVE_TIME, "");
        break;
    default:
        dispatch_by_number(t, c);
    }
}

static void entry(struct task *t)
{
    view = live_state(t)->view;
    if (needs_scratch(t->nr) && !scratch_ready(t))
        return;
    live_state(t)->is_rewritten = live_state(t)->has_live_result = false;
    if (run_mode->logs)
        recorder.entry(t);
    else if (!call_of(t->nr))
        skip_call(t, -ENOSYS);
    else {
        read_names(t);
        if (plan.seed)
            seed_border(t);
    }
    live_state(t)->is_logged = run_mode->logs && t->want_exit;
    if (t->state == CALL_ENTERED && call_of(t->nr) && t->nr == (long)(int)t->regs.orig_rax)
        dispatch(t);
}

/* The registers are as before the call, except its result; a restarted call begins from the start. */
static int64_t put_right(struct task *t, int64_t result)
{
    struct user_regs_struct now = regs_get(t), r = t->regs;
    r.rip = now.rip;
    r.rcx = now.rcx;
    r.r11 = now.r11;
    if (live_state(t)->has_live_result && result >= 0)
        result = live_state(t)->live_result;
    r.rax = (ull)result;
    regs_set(t, &r);
    if (call_of(t->nr)->hook == REX_HOOK_EXEC)
        exec_stack_restore(t);
    live_state(t)->is_rewritten = false;
    return result;
}

static void exit_stop(struct task *t, int64_t result)
{
    view = live_state(t)->view;
    if (live_state(t)->is_rewritten)
        result = put_right(t, result);
    if (takes_address(t->nr))
        live_address_exit(t, is_interrupted(result) ? -1 : result);
    if (live_state(t)->is_logged)
        recorder.exit(t, result);
    else if (plan.seed) {
        seed_drawn(t, result);
        if (call_of(t->nr)->hook == REX_HOOK_OPEN)
            seed_opened(t, result);
        else if (is_descriptor_call(t))
            descriptor_exit(t, result);
    }
}

static void execed(struct task *t)
{
    view = live_state(t)->view;
    live_execed(t);
    if (run_mode->logs)
        recorder.execed(t);
    else if (plan.seed)
        seed_program(t);
}

/* ------------------------------------------------------------------ without a recording */

static void born(struct task *parent, struct task *t, uint64_t flags)
{
    live_state(t)->view = parent ? live_state(parent)->view : view;
    if (run_mode->logs)
        recorder.born(parent, t, flags);
    else if (plan.seed)
        seed_born(parent, t);
}

static bool signal_stop(struct task *t, int sig)
{
    return run_mode->logs ? recorder.signal(t, sig) : true;
}

static void stepped(struct task *t)
{
    if (run_mode->logs)
        recorder.stepped(t);
}

static void ended(struct task *t, int status, const struct rusage *used)
{
    if (run_mode->logs)
        recorder.ended(t, status, used);
}

static uint64_t random_drawn(struct task *t)
{
    return recorder.random(t);
}

static void tsc(struct task *t, bool with_aux, uint64_t *value, uint32_t *aux)
{
    live_use(LIVE_TIME, "");
    recorder.tsc(t, with_aux, value, aux);
}

static void start(struct task *t)
{
    (void)t;
}

static void nothing(void)
{
}

static bool is_named(long nr)
{
    const struct rex_call *c = call_of(nr);
    if (c->policy == REX_REFUSE)
        return false;
    if (name_args(nr).path >= 0 || c->hook == REX_HOOK_TREE || c->hook == REX_HOOK_FORK || needs_scratch(nr))
        return true;
    return op_of(nr) == REX_OP_STAT || op_of(nr) == REX_OP_LIST || takes_address(nr) || nr == REX_NR_getcwd || nr == REX_NR_getrandom;
}

/* Without a recording only calls on names stop, and what the recorder would refuse is refused. */
static int stop_of(long nr, int stop)
{
    if (stop == REX_STOP_ERRNO || !call_of(nr))
        return stop;
    return is_named(nr) ? REX_STOP_ALWAYS : run_mode->logs ? recorder.stop_of(nr, stop) : REX_STOP_NEVER;
}

/* As a whole, those too that are born while it ends: called again with each report. */
static void cancel(void)
{
    for (struct task *t = tasks; t; t = t->next)
        if (t->alive)
            kill(t->tid, SIGKILL);
}

/* The tracee starts in what stands for its directory. */
static void enter_directory(void)
{
    static struct task self;
    struct place p;
    self.tid = getpid();
    self.leader = &self;
    if (!plan.cwd)
        return;
    int failed = view_find(&self, AT_FDCWD, plan.cwd, true, &p);
    if (failed || p.layer == NOWHERE)
        die("there is no directory %s", plan.cwd);
    plan.cwd = view_physical(&p);
}

static void begin(void)
{
    view_start();
    live_programs_start();
    enter_directory();
    if (run_mode->logs)
        recorder.begin();
}

static void finish(void)
{
    if (!run_mode->logs)
        return;
    recorder.finish();
    view_report();
}

static void before_wait(void)
{
    if (run_mode->logs)
        recorder.before_wait();
}

static ull next_look_ns(void)
{
    return run_mode->logs ? recorder.next_look_ns() : 0;
}

/* ------------------------------------------------------------------ names */

static char *physical(const char *logical)
{
    struct place p = {0};
    if (view_look(logical, &p))
        return NULL;
    strcpy(p.path, logical);
    return view_physical(&p);
}

static int resolve(struct task *t, int dirfd, const char *path, bool follow, char **resolved)
{
    struct place p;
    int failed = view_find(t, dirfd, path, follow, &p);
    *resolved = failed ? NULL : strdup(p.path);
    return failed;
}

static int stat_place(const char *logical, struct stat *st)
{
    struct place p;
    if (view_look(logical, &p) || p.layer == NOWHERE)
        return -1;
    *st = p.st;
    return 0;
}

static const struct names_of_run names = {
    .logical = view_logical, .physical = physical, .resolve = resolve, .stat = stat_place, .stat_fd = live_stat_fd, .describe = live_describe,
};

#define LIVE_MODE(is_logged) { \
    .name = "live", .logs = is_logged, .names = &names, .is_patient = true, .begin = begin, .finish = finish, .stop_of = stop_of, \
    .entry = entry, .exit = exit_stop, .born = born, .execed = execed, .signal = signal_stop, .stepped = stepped, .ended = ended, \
    .tsc = tsc, .random = random_drawn, .start = start, .settle = nothing, .idle = nothing, .cancel = cancel, \
    .before_wait = before_wait, .next_look_ns = next_look_ns, \
}

const struct mode live = LIVE_MODE(false), live_recorded = LIVE_MODE(true);

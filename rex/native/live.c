/* Live: a run on archived files with the rest of the system as it is.
 *
 * Names go through the view (view.c): what asks about them is answered (live_names.c), what
 * changes them is done by the tracer (live_tree.c), what opens or executes is run by the kernel
 * on another path (live_open.c, live_exec.c).  While it is recorded, the recorder sees each call
 * before it is rewritten and after it was put right: only logical paths reach the log. */
#include "engine.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>

bool is_live;
static bool is_recorded;

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

/* The tracee gets the result, and the kernel is not asked. */
void live_answer(struct task *t, int64_t result)
{
    if (t->is_logged)
        recorder.exit(t, result);
    skip_call(t, result);
}

void live_rewritten(struct task *t, const struct user_regs_struct *r)
{
    regs_set(t, r);
    t->is_rewritten = true;
    t->want_exit = true;
}

void live_rewrite(struct task *t, long nr, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    change_call(t, nr, a, b, c, d);
    t->is_rewritten = true;
}

/* ------------------------------------------------------------------ calls */

/* Calls that may need memory in the tracee. */
static bool needs_scratch(long nr)
{
    switch (nr) {
    case REX_NR_open: case REX_NR_openat: case REX_NR_openat2: case REX_NR_creat: case REX_NR_chdir:
    case REX_NR_execve: case REX_NR_execveat: case REX_NR_inotify_add_watch:
    case REX_NR_connect: case REX_NR_bind: case REX_NR_sendto:
        return true;
    }
    return false;
}

/* A process that has the device open stops at all its calls; only while it does. */
static bool is_random_open(struct task *t)
{
    return plan.seed && !is_recorded && t->files->high;
}

static void dispatch(struct task *t)
{
    const struct rex_call *c = call_of(t->nr);
    if (is_random_open(t) && (is_descriptor_call(t) || call_streams(t))) {
        descriptor_entry(t);
        t->want_exit = true;
    }
    switch (t->nr) {
    case REX_NR_open: case REX_NR_openat: case REX_NR_openat2: case REX_NR_creat:
        live_open(t);
        break;
    case REX_NR_execve: case REX_NR_execveat:
        live_exec(t);
        break;
    case REX_NR_stat: case REX_NR_lstat: case REX_NR_fstat: case REX_NR_newfstatat: case REX_NR_statx:
        live_stat(t);
        break;
    case REX_NR_access: case REX_NR_faccessat: case REX_NR_faccessat2:
        if (!view_border(t))
            live_access(t);
        break;
    case REX_NR_readlink: case REX_NR_readlinkat:
        live_readlink(t);
        break;
    case REX_NR_getcwd:
        live_getcwd(t);
        break;
    case REX_NR_chdir:
        live_chdir(t);
        break;
    case REX_NR_getdents: case REX_NR_getdents64:
        live_getdents(t);
        break;
    case REX_NR_statfs:
        live_statfs(t);
        break;
    case REX_NR_getxattr: case REX_NR_lgetxattr: case REX_NR_listxattr: case REX_NR_llistxattr:
        live_get_attributes(t);
        break;
    case REX_NR_inotify_add_watch:
        live_watch(t);
        break;
    case REX_NR_connect: case REX_NR_bind: case REX_NR_sendto:
        live_address(t);
        break;
    case REX_NR_getsockname: case REX_NR_getpeername: case REX_NR_accept: case REX_NR_accept4:
        t->want_exit = true;
        break;
    case REX_NR_clock_gettime: case REX_NR_gettimeofday: case REX_NR_time:    /* these stop while recording only */
        live_use(LIVE_TIME, "");
        break;
    case REX_NR_getrandom:
        if (plan.seed)
            t->want_exit = true;
        else
            live_use(LIVE_RANDOM, "");
        break;
    default:
        if (c->hook == REX_HOOK_TREE)
            live_tree(t);
        else if (name_args(t->nr).path >= 0 && c->policy != REX_REFUSE)
            live_answer(t, -ENOSYS);      /* nothing may reach a path by a way that we do not know */
    }
}

static void entry(struct task *t)
{
    view = t->view;
    if (needs_scratch(t->nr) && !replay_scratch(t))
        return;
    t->is_rewritten = t->has_live_result = false;
    if (is_recorded)
        recorder.entry(t);
    else if (!call_of(t->nr))
        skip_call(t, -ENOSYS);
    else {
        read_names(t);
        if (plan.seed)
            seed_border(t);
    }
    t->is_logged = is_recorded && t->want_exit;
    if (t->state == CALL_ENTERED && call_of(t->nr) && t->nr == (long)(int)t->regs.orig_rax)
        dispatch(t);
}

/* The registers are as before the call, save its result; one that is restarted begins anew. */
static int64_t put_right(struct task *t, int64_t result)
{
    struct user_regs_struct now = regs_get(t), r = t->regs;
    r.rip = now.rip;
    r.rcx = now.rcx;
    r.r11 = now.r11;
    if (t->has_live_result && result >= 0)
        result = t->live_result;
    r.rax = (ull)result;
    regs_set(t, &r);
    t->is_rewritten = false;
    return result;
}

static void exit_stop(struct task *t, int64_t result)
{
    view = t->view;
    if (t->is_rewritten)
        result = put_right(t, result);
    if (t->nr == REX_NR_getsockname || t->nr == REX_NR_getpeername || t->nr == REX_NR_accept || t->nr == REX_NR_accept4)
        live_address_exit(t, is_interrupted(result) ? -1 : result);
    if (t->is_logged)
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
    view = t->view;
    live_execed(t);
    if (is_recorded)
        recorder.execed(t);
    else if (plan.seed)
        seed_program(t);
}

/* ------------------------------------------------------------------ without a recording */

static void born(struct task *parent, struct task *t, uint64_t flags)
{
    t->view = parent ? parent->view : view;
    if (is_recorded)
        recorder.born(parent, t, flags);
    else if (plan.seed)
        seed_born(parent, t);
}

static bool signal_stop(struct task *t, int sig)
{
    return is_recorded ? recorder.signal(t, sig) : true;
}

static void stepped(struct task *t)
{
    if (is_recorded)
        recorder.stepped(t);
}

static void ended(struct task *t, int status)
{
    if (is_recorded)
        recorder.ended(t, status);
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

/* Which calls stop besides those of a recording, or at all without one. */
bool live_stops(long nr)
{
    const struct rex_call *c = call_of(nr);
    if (c->policy == REX_REFUSE)
        return false;
    if (name_args(nr).path >= 0 || c->hook == REX_HOOK_TREE || c->hook == REX_HOOK_FORK || needs_scratch(nr))
        return true;
    return nr == REX_NR_fstat || nr == REX_NR_getcwd || nr == REX_NR_getdents || nr == REX_NR_getdents64
        || nr == REX_NR_getrandom || nr == REX_NR_getsockname || nr == REX_NR_getpeername
        || nr == REX_NR_accept || nr == REX_NR_accept4;
}

bool live_is_recorded(void)
{
    return is_recorded;
}

/* As a whole, those too that are born while it ends: called again with each report. */
void live_end(void)
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

void live_start(void)
{
    is_live = true;
    is_recorded = plan.log;
    view_start();
    live_programs_start();
    enter_directory();
    if (is_recorded)
        record_start();
}

const struct handler live = {
    .entry = entry, .exit = exit_stop, .born = born, .execed = execed, .signal = signal_stop,
    .stepped = stepped, .ended = ended, .tsc = tsc, .random = random_drawn, .start = start,
    .settle = nothing, .idle = nothing, .patient = true,
};

/* Record: stops in, log out. */
#include "base/base.h"
#include "callstack/callstack.h"
#include "cpu/cpu.h"
#include "engine/engine.h"
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

#include <fcntl.h>

static struct bytes out;                 /* the event being written */

static struct record *head(struct bytes *b)
{
    return (struct record *)b->data;
}

/* A call's event, without outputs: log_end() is due. */
static struct bytes *begin(struct task *t, struct bytes *b, int64_t result)
{
    log_begin(b, (uint16_t)t->nr, t->index);
    struct record *r = head(b);
    r->result = result;
    r->stream = t->stream;
    memcpy(r->args, t->args, sizeof t->args);
    if (t->nr == REX_NR_clock_gettime) {
        r->args[5] = t->leader->threaded ? callstack_hash(t) : 0;
        record_reading(t, r);
    } else if (t->nr == REX_NR_getrandom)
        r->args[5] = t->leader->threaded ? drawer_of(t) : 0;
    struct name_args n = name_args(t->nr);
    if (t->path && n.path >= 0)
        log_field(b, (uint8_t)n.path, FIELD_IN, t->path, strlen(t->path));
    if (t->path2 && n.path2 >= 0)
        log_field(b, (uint8_t)n.path2, FIELD_IN, t->path2, strlen(t->path2));
    return b;
}

/* ------------------------------------------------------------------ entry */

static void read_deref(struct task *t, const struct rex_call *c)
{
    t->deref = 0;
    for (int i = 0; i < c->nargs; i++)
        if (c->arg[i].size_kind == REX_SIZE_DEREF)
            mem_read(t->tid, t->args[c->arg[i].size_arg], &t->deref, sizeof t->deref);
}

static bool opens_to_write(struct task *t)
{
    int flags = open_flags(t);
    return flags & (O_CREAT | O_TRUNC) || (flags & O_ACCMODE) != O_RDONLY;
}

static void open_entry(struct task *t)
{
    struct record_state *s = record_state(t);
    struct stat st;
    s->created = false;
    free(s->creating);
    s->creating = NULL;
    if (!opens_to_write(t))
        return;
    struct name_args n = name_args(t->nr);
    char *path = t->path ? path_resolve(t, n.dirfd >= 0 ? (int)t->args[n.dirfd] : AT_FDCWD, t->path, true) : NULL;
    if (path && path_stat(path, &st, true)) {
        s->created = true;
        s->creating = path;
        return;
    }
    if (path && S_ISREG(st.st_mode) && !record_named_stream(t->path, &st, open_flags(t)))
        record_before_change(path, false);
    free(path);
}

/* A call that the kernel goes on with after a signal that had no handler, or that another thread took; it may be one that is not
 * in the log. */
static void restart_entry(struct task *t)
{
    struct record_state *s = record_state(t);
    if (!s->goes_on && !s->pending.used)
        return;
    s->goes_on = false;
    t->nr = head(&s->pending)->call;
    memcpy(t->args, head(&s->pending)->args, sizeof t->args);
    t->stream = head(&s->pending)->stream;
    s->pending.used = 0;
    t->want_exit = true;
}

/* A replay keeps its place among the events of other processes. */
static bool is_ordered(struct task *t, const struct rex_call *c)
{
    if (c->hook == REX_HOOK_OPEN)
        return opens_to_write(t);
    return c->hook == REX_HOOK_TREE || c->hook == REX_HOOK_EXIT || t->nr == REX_NR_close || is_output(t->stream);
}

static void refuse(struct task *t, int error)
{
    log_end(begin(t, &out, -error));
    skip_call(t, -error);
}

static void entry(struct task *t)
{
    const struct rex_call *c = call_of(t->nr);
    t->returned_at = 0;
    t->shares = false;
    cause_ends(t);
    record_wait(t);
    if (t->nr == REX_NR_restart_syscall) {
        restart_entry(t);
        return;
    }
    record_state(t)->goes_on = false;
    record_state(t)->pending.used = 0;
    t->stream = 0;
    if (!c) {
        if (t->nr >= 0)
            log_note(t->index, "system call %ld is newer than this Rex and was refused", t->nr);
        skip_call(t, -ENOSYS);
        return;
    }
    bool external = call_streams(t);
    place_asked(t);
    speech_stops(t);
    if (is_ordered(t, c))
        fast_sync_others(t);
    pipes_watch(t);
    if (record_result_comes(t) || record_mapping(t))
        return;
    if (record_deferred_comes(t, external))
        return;
    if (arrival_begins(t))
        return;
    if (t->nr == REX_NR_sendmsg)
        rights_leave(t);
    t->shares = is_shared_call(t);
    if (is_pipe_call(t) || t->shares) {
        t->want_exit = true;
        if (is_ordered_write(t))
            writer_comes(t);
        return;
    }
    if (c->hook == REX_HOOK_EXIT || c->hook == REX_HOOK_EXEC)
        take_ended(t);
    if (c->hook == REX_HOOK_EXIT || (!external && closes_pipe(t))) {
        if (t->nr == REX_NR_exit_group && !record_state(t->leader)->executed)
            record_channels(t);
        log_end(begin(t, &out, 0));
        if (c->hook == REX_HOOK_CLOSE)
            files_set(t->files, (int)t->args[0], 0);
        return;
    }
    if (names_process(t) || (is_serialized() && is_timed_futex(t))) {
        t->want_exit = true;              /* of the wait, when it ends is the clock's to say */
        return;
    }
    if (c->policy == REX_REFUSE) {
        record_refused(t);
        skip_call(t, -c->err);
        return;
    }
    if (is_unlogged(t, external)) {
        t->want_exit |= duplicates_directory(t) || rights_may_arrive(t);
        return;
    }
    t->want_exit = true;
    if (is_descriptor_call(t))
        descriptor_entry(t);
    read_names(t);
    if (c->hook == REX_HOOK_TREE)
        record_resolve_names(t);
    int error = record_refusal(t, c);
    if (error || (error = hidden_refusal(t))) {
        refuse(t, error);
        return;
    }
    inherited_entry(t);
    if (plan.seed)
        seed_border(t);
    read_deref(t, c);
    if (c->hook == REX_HOOK_OPEN)
        open_entry(t);
    else if (c->hook == REX_HOOK_TREE)
        record_tree_entry(t);
    else if (c->hook == REX_HOOK_IPC)
        record_ipc_entry(t);
    else if (c->hook == REX_HOOK_EXEC) {
        record_exec_entry(t);
        if (record_state(t)->exec_refused)
            refuse(t, record_state(t)->exec_refused);
    } else if (is_ordered_write(t))
        writer_comes(t);
    cause_begins(t);
    record_known_result(t);
}

/* ------------------------------------------------------------------ exit */

/* The hook's part of a call that has ended, and what it adds to the event. */
static void hook_exit(struct task *t, struct bytes *b, int64_t result)
{
    if (result >= 0)
        hidden_names_moved(t);
    switch (call_of(t->nr)->hook) {
    case REX_HOOK_OPEN:
        if (result >= 0)
            record_opened(t, (int)result, b);
        else
            cause_ends(t);
        break;
    case REX_HOOK_TREE:
        record_tree_exit(t, b, result);
        break;
    case REX_HOOK_EXEC:
        if (result < 0)
            record_exec_failed(t);
        break;
    case REX_HOOK_CHDIR:
        if (result >= 0) {
            char *cwd = path_of_fd(t->tid, AT_FDCWD);
            if (cwd)
                log_field(b, 0, FIELD_RESOLVED, cwd, strlen(cwd));
            free(cwd);
        }
        break;
    case REX_HOOK_FCNTL:
        if (result >= 0 && names_process(t)) {
            int cmd = (int)t->args[1];
            capture_block(t, b, 2, FIELD_OUT, t->args[2], cmd == F_GETLK || cmd == F_OFD_GETLK ? sizeof(struct flock)
                          : cmd == F_GETOWN_EX ? sizeof(struct f_owner_ex) : 0);
        }
        break;
    case REX_HOOK_IPC:
        record_ipc(t, b, result);
        break;
    case REX_HOOK_SOCKET:
    case REX_HOOK_ACCEPT:
    case REX_HOOK_STREAM:
        if (result >= 0) {
            uint32_t stream = files_stream(t->files, (int)result);   /* signalfd may change one */
            head(b)->stream = stream ? stream : stream_new();
            files_set(t->files, (int)result, head(b)->stream);
        }
        break;
    }
}

static void exit_stop(struct task *t, int64_t result)
{
    if (record_result(t, result) || record_mapped(t, result) || arrival_came(t, result))
        return;
    bool is_inner_receive = t->nr == REX_NR_recvmsg && !t->stream;
    if (is_inner_receive && result >= 0)
        rights_arrive(t);
    if (is_inner_receive && !is_pipe_call(t))
        return;
    if (is_descriptor_call(t)) {
        descriptor_exit(t, result);
        shared_recount(NULL);
        record_duplicate(t, result);
        return;
    }
    if (is_disturbed(t, result)) {
        rewind_call(t);
        return;
    }
    if (is_interrupted(result)) {          /* the signal decides whether it restarts */
        struct bytes *pending = &record_state(t)->pending;
        if (t->shares || is_pipe_call(t)) {
            (t->shares ? shared_event : pipe_event)(t, pending, -EINTR);
            writer_goes(t);
            return;
        }
        writer_goes(t);
        begin(t, pending, -EINTR);
        if (call_of(t->nr)->hook == REX_HOOK_SLEEP)
            capture_outputs(t, pending, 0);     /* the time that was left */
        return;
    }
    if (t->shares || is_pipe_call(t)) {
        (t->shares ? shared_event : pipe_event)(t, &out, result);
        log_end(&out);
        writer_goes(t);
        t->returned_at = t->regs.rip;
        return;
    }
    if (lists_directory(t->nr) && result > 0 && !(result = hidden_list(t, result))) {
        rewind_call(t);
        return;
    }
    if (plan.seed)
        seed_drawn(t, result);
    if (is_over_by_time(call_of(t->nr), result))
        fast_sync_others(t);
    cause_returns(t);
    struct bytes *b = begin(t, &out, result);
    record_ends(t, head(b), t->stream);
    record_answered(t, head(b));
    capture_outputs(t, b, result);
    bool is_moved = t->stream && call_of(t->nr)->policy == REX_STREAM;
    if (is_moved)
        auxv_read(t, b);
    if (is_moved || call_of(t->nr)->hook == REX_HOOK_EPOLL_CTL)
        capture_inputs(t, b, result);
    record_greeting(t, b);
    if (t->nr == REX_NR_bind && result >= 0)
        record_bound(t, b);
    if (result >= 0 && (t->nr == REX_NR_sendmsg || t->nr == REX_NR_recvmsg))
        record_rights(t, b);
    hook_exit(t, b, result);
    log_end_at(b, &record_state(t)->place);
    cause_logged(t);
    speech_went(t);
    writer_goes(t);
    t->returned_at = t->regs.rip;
}

/* ------------------------------------------------------------------ the mode */

/* Killed as it wrote: what went out is in the log. */
static void leaves(struct task *t)
{
    int64_t result = (int64_t)regs_get(t).rax;
    if (t->state == CALL_ENTERED && t->want_exit && result > 0 && is_ordered_write(t))
        exit_stop(t, result);
}

static uint64_t random_drawn(struct task *t)
{
    uint64_t value = plan.seed ? seed_number(t) : random_number();
    log_begin(&out, EVENT_RANDOM, t->index);
    head(&out)->result = (int64_t)value;
    log_end(&out);
    return value;
}

static void nothing(void)
{
}

static void start(struct task *t)
{
    (void)t;
}

static const struct turn_order recorded_turns = {.given = record_release};

static void begin_recording(void)
{
    const int ours[] = {plan.control, plan.hints, plan.gate};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (ours[i] >= 0)
            fcntl(ours[i], F_SETFD, FD_CLOEXEC);
    log_create(plan.log);
    if (plan.serialize)
        turns_start(&recorded_turns);
}

static void finish_recording(void)
{
    turns_finish();
    record_unread_memory();
    log_close();
    record_report();
    hidden_report();
}

/* The caller stops with its program, as a shell expects. */
static void stopped(void)
{
    if (getppid() != 1)
        raise(SIGSTOP);
}

/* A thread that sleeps for a short while, as Python's do for their lock, is to be seen asleep in between. */
static ull next_look_ns(void)
{
    return record_defers() || arrivals_wait() ? LOOKS_SOON_NS : plan.watched ? LOOKS_SELDOM_NS : 0;
}

static void before_wait(void)
{
    record_overdue();
    record_write_growing_log();
}

const struct mode recorder = {
    .name = "record", .logs = true, .is_fast = true, .is_patient = true, .begin = begin_recording, .finish = finish_recording, .stop_of = record_stop_of,
    .entry = entry, .exit = exit_stop, .born = record_born, .leaves = leaves, .execed = record_execed, .signal = record_signal,
    .stepped = record_stepped, .ended = record_ended, .tsc = record_counter, .random = random_drawn, .start = start,
    .all_calls = record_awaits_call, .settle = arrivals_settle, .idle = nothing, .taken = record_taken, .stopped = stopped,
    .before_wait = before_wait, .next_look_ns = next_look_ns,
};

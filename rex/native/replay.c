/* Replay: the log in, answers to stops out.
 *
 * replay_match.c finds the event that answers a call, replay_order.c says whether it is its turn, replay_signals.c brings
 * signals, replay_calls.c and the others act. */
#include "engine.h"
#include "fast.h"
#include "ipc.h"
#include "queues.h"
#include "talks.h"

#include <fcntl.h>
#include <sched.h>

static ull divergences, mismatches;

/* ------------------------------------------------------------------ divergence */

static const char *name_of(long nr)
{
    const struct rex_call *c = call_of(nr);
    return c ? c->name : nr == EVENT_SIGNAL ? "signal" : nr == EVENT_TSC ? "rdtsc" : nr == EVENT_PIPE ? "pipe" : nr == EVENT_RANDOM ? "rdrand" : nr == EVENT_SHARED ? "lock" : "?";
}

static char *event_text(const struct event *e)
{
    const struct field *f = record_field(e->record, FIELD_WHOLE, FIELD_IN);
    bool path = call_of(e->record->call) && call_of(e->record->call)->key == REX_KEY_PATH;
    return path && f ? text("%s \"%.*s\"", name_of(e->record->call), (int)f->length, f->data) : strdup(name_of(e->record->call));
}

/* What threads do may depend on their order, and others then on that. */
static bool may_race(void)
{
    for (uint32_t i = 0; i < script_total() && !serial_on; i++)
        if (script_of(i)->birth && script_of(i)->birth->args[2] & CLONE_THREAD)
            return true;
    return false;
}

static void tell_divergence(const struct event *e, uint32_t task, const char *why, const char *asked, const char *path)
{
    if (divergences++ == 0) {
        char *logged = e ? event_text(e) : strdup("nothing more");
        report_line("divergence=%u\t%u\t%d\t%s\t%s%s%s%s\t%s", e ? e->number : (unsigned)event_count,
                    task, may_race(), why, asked, path ? " \"" : "", path ? path : "", path ? "\"" : "", logged);
        free(logged);
    }
}

/* e: what the log has instead, NULL for the task's next event. */
void replay_diverged(struct task *t, const struct event *e, const char *why)
{
    tell_divergence(e ? e : replay_next(t), t->script ? t->script->index : UINT32_MAX, why, name_of(t->nr), t->path);
}

/* ------------------------------------------------------------------ calls */

/* What later calls reckon with. */
void replay_answered(struct task *t, struct event *e)
{
    replay_clock_told(t, e);
    replay_runtime_reached(t, e);
    replay_came_for(t, e);
    replay_done(e);
}

void replay_emulate(struct task *t, struct event *e)
{
    int64_t result = e->record->result;
    bool counted = t->nr == REX_NR_write || t->nr == REX_NR_sendto || t->nr == REX_NR_pwrite64;
    put_outputs(t, e->record);
    replay_size_now(t);
    replay_names_now(t, e);
    replay_send_with(t, e);
    skip_call(t, counted && result > (int64_t)t->args[2] ? (int64_t)t->args[2] : result);   /* never more than there was */
    replay_answered(t, e);
}

/* A thread whose log has ended made no further call that returned: it waits now as it did. */
static bool never_returned(struct task *t, const struct rex_call *c)
{
    bool takes = t->stream && (t->nr == REX_NR_read || t->nr == REX_NR_readv || t->nr == REX_NR_recvfrom
                               || t->nr == REX_NR_recvmsg || t->nr == REX_NR_recvmmsg || t->nr == REX_NR_mq_timedreceive || c->hook == REX_HOOK_ACCEPT);
    bool waits = c->hook == REX_HOOK_PAUSE || t->nr == REX_NR_rt_sigtimedwait || t->nr == REX_NR_msgrcv || replay_alone_cut_off(t);
    if (serial_on)                        /* others may as well: there they wait for their turn */
        waits = waits || c->hook == REX_HOOK_SLEEP || c->hook == REX_HOOK_WAIT || is_readiness_wait(c) || c->policy == REX_STREAM;
    bool is_last = !replay_next(t) || (c->hook == REX_HOOK_ACCEPT && has_shared_work(t));   /* siblings may have left it events */
    return (serial_on || !is_single(t)) && t->script->birth && is_last && (takes || waits);
}

/* Among those that share work the log need not have what is between them, or what only they themselves know. */
static bool answer_among_mates(struct task *t, const struct rex_call *c)
{
    if (!has_shared_work(t) || !t->script->birth)
        return false;
    if (t->nr == REX_NR_getpid || t->nr == REX_NR_gettid) {
        skip_call(t, t->nr == REX_NR_getpid ? t->script->tgid : t->script->tid);
        return true;
    }
    if (c->hook == REX_HOOK_EPOLL_CTL || (t->nr == REX_NR_shutdown && t->stream)) {     /* which a mate had closed before */
        if (c->hook == REX_HOOK_EPOLL_CTL && replay_epoll_ctl(t))
            t->want_exit = true;
        else
            skip_call(t, 0);
        return true;
    }
    if (c->hook == REX_HOOK_OPEN && t->path && (!strncmp(t->path, "/proc/", 6) || !strncmp(t->path, "/sys/", 5))) {
        skip_call(t, -ENOENT);            /* a runtime asks the kernel as its threads come, and does without */
        return true;
    }
    return c->hook == REX_HOOK_EXIT || c->hook == REX_HOOK_CLOSE || (c->hook == REX_HOOK_KILL && replay_kin_kill(t))
        || (c->hook == REX_HOOK_IPC && replay_ipc_freely(t)) || (c->hook == REX_HOOK_PEER && replay_peer_freely(t));
}

/* Its log ends here, by a kill that it has, or waits for. */
static bool waits_for_kill(struct task *t)
{
    bool is_doomed = replay_is_doomed(t);
    if (is_doomed && !replay_kill_due(t))
        replay_block(t);
    return is_doomed;
}

/* e: the first that does, NULL at the end of the log. */
static void differs(const struct event *e, uint32_t stream)
{
    if (mismatches++ == 0)
        report_line("output_differs=%u\t%u\t%d", e ? e->number : (unsigned)event_count, stream, may_race());
}

static void unmatched(struct task *t, const struct rex_call *c, uint64_t key)
{
    bool asks_limit = t->nr == REX_NR_prlimit64 && !t->args[2] && has_shared_work(t);     /* for each pipe to a child that mates have open */
    bool again = c->policy == REX_EMULATE || asks_limit || (c->hook == REX_HOOK_OPEN && has_shared_work(t));
    struct event *last = again && !replay_is_own_file(t) ? replay_last_answer(t, t->nr, key) : NULL;
    if (waits_for_kill(t))
        return;
    if (names_process(t))
        return;                           /* logs of former versions do not have it */
    if (replay_ticks(t) || replay_kin_pauses(t, NULL) || replay_finds_nothing(t, key) || replay_job_is_later(t) || replay_draws_more(t))
        return;
    if (never_returned(t, c)) {
        if (!replay_takes_number(t, c))
            replay_block(t);
        return;
    }
    if ((!(last && c->hook == REX_HOOK_OPEN) && answer_among_mates(t, c)) || replay_prods(t) || replay_kin_says(t))
        return;
    bool is_beyond = replay_was_cut_off(t) && !replay_is_of_mates(t);
    if (is_beyond && !last && (t->stream == 2 || t->stream == 3 || (c->hook == REX_HOOK_TREE && !replay_is_of_own(t)))) {   /* others would see it */
        replay_block(t);
        return;
    }
    bool is_wait = is_readiness_wait(c);
    if (is_wait && replay_wait_freely(t, NULL))
        return;                           /* threads wait as often as they have to */
    if ((c->hook == REX_HOOK_SLEEP || c->hook == REX_HOOK_WAIT) && has_shared_work(t)) {
        t->only_naps = c->hook == REX_HOOK_SLEEP;
        replay_unmatched(t, c);
        return;
    }
    if (!last && (replay_own_file(t) || replay_asks_of_mate(t, c)))
        return;
    bool is_new_thread = c->hook == REX_HOOK_FORK && fork_flags(t) & CLONE_THREAD;
    bool is_extra = t->leader->script && !t->script->birth;
    bool is_asked = asks_limit || t->nr == REX_NR_sched_getaffinity || t->nr == REX_NR_clock_gettime;    /* it had no need of it then */
    bool is_pace = (has_shared_work(t) && (last || is_wait || is_asked)) || (last && (replay_is_pipe_stat(last) || replay_is_pace(t->nr)));
    if (!is_new_thread && !is_extra && !is_pace && !is_beyond)
        replay_diverged(t, NULL, last ? "repeated" : "not in the log");
    if (!last && replay_is_output(t->stream, t->nr))
        differs(replay_next(t), t->stream);
    if (last && c->hook == REX_HOOK_OPEN) {
        t->matched = last = replay_again(t, last);
        replay_open(t, last);
    } else if (last) {
        put_outputs(t, last->record);
        replay_clock_goes_on(t, c, key);
        skip_call(t, lists_directory(t->nr) && last->record->result > 0 ? 0 : last->record->result);
    } else
        replay_unmatched(t, c);
}

static void perform(struct task *t)
{
    t->held = !replay_is_turn(t, t->matched) || !replay_is_answerable(t, t->matched);
    if (!t->held && !replay_kin_pauses(t, t->matched))
        replay_call(t, call_of(t->nr), t->matched);
}

static void entry(struct task *t)
{
    const struct rex_call *c = call_of(t->nr);
    struct event *next = replay_alone_next(t);
    t->last_stop = log_now();
    if (t->matched)
        t->matched->taker = NULL;
    t->matched = t->in_vain = NULL;
    t->ends_at = t->stream = t->waits_inside = t->hastened = t->inside = 0;
    if (t->skipped || replay_drops_copy(t))
        return;                           /* it exits; or comes again */
    if (!c) {
        skip_call(t, -ENOSYS);
        return;
    }
    if (!serial_on && replay_finds_place(t))
        return;
    if (t->nr == REX_NR_futex) {
        if (!serial_on)
            replay_until(t);
        else if (serial_is_timed_futex(t) && serial_is_cut(t))
            replay_block(t);
        else
            replay_timed_futex(t);
        return;
    }
    if (replay_suspends(t))
        return;
    call_streams(t);
    if (is_readiness_wait(c))
        replay_lines_awaited(t);
    if (replay_inside_call(t))
        return;
    pipes_watch(t);
    bool external = t->stream, shares = is_shared_call(t);
    bool moves = !shares && is_pipe_call(t);         /* as much as when recorded */
    bool arranges = !moves && is_descriptor_call(t) && (external || !closes_pipe(t));
    if (!moves && !shares && !(arranges && files_inside(t->files, (int)t->args[0])) && (is_unlogged(t, external) || t->nr == REX_NR_restart_syscall)) {
        replay_mapping(t);
        replay_interrupts(t);
        t->want_exit |= replay_makes_epoll(t->nr);
        if ((t->matched = replay_arrival(t)))
            perform(t);
        return;
    }
    if (arranges) {
        descriptor_entry(t);
        t->want_exit = true;
        return;
    }
    if (serial_is_cut(t)) {
        if (!replay_takes_number(t, c))
            replay_block(t);
        return;
    }
    if (next && replay_is_signal(next) && (replay_waits_for_end(t, next) || replay_waits_past_place(t, next)))
        return;
    if (next && replay_is_signal(next) && replay_is_signal_later(t, next)) {
        replay_block(t);
        return;
    }
    if (next && replay_is_signal(next) && t->injected != next && !replay_ends_too_early(t, next)) {
        replay_send_now(t, next);                /* it came before this call */
        if (t->injected) {
            rewind_call(t);
            return;
        }
    } else if (t->injected) {             /* it is blocked, and will come when it is not */
        t->owed[t->injected->record->args[0] & 63] = t->injected;
        replay_done(t->injected);
        t->injected = NULL;
    }
    if (moves || shares) {
        const uint64_t args[2] = {(uint64_t)t->nr, t->args[0]};
        if ((t->matched = shares ? replay_shared_event(t) : replay_match(t, EVENT_PIPE, pipe_key(args))))
            perform(t);
        else if (moves && !waits_for_kill(t) && log_version >= LOG_WITH_PIPES)
            replay_diverged(t, NULL, "not in the log");
        return;
    }
    replay_read_names(t);
    if (c->hook == REX_HOOK_EXEC && replay_job_executes(t))
        return;
    uint64_t key = call_key(c, t->nr, t->path, t->stream, t->args);
    if (c->key == REX_KEY_PATH)
        replay_did(t, key);
    bool is_decided = t->nr != REX_NR_socket || !peers_decide_late(t->script);
    if (!is_decided && replay_inside_socket(t))
        return;
    if (is_decided && !replay_is_own(t) && (!lists_directory(t->nr) || !(t->matched = replay_listing(t))))
        t->matched = replay_nameless_stat(t, replay_match(t, t->nr, key));
    t->only_naps &= !t->matched || c->query || is_readiness_wait(c);
    if (replay_is_own(t))
        return;                           /* the log knows nothing of it: the kernel is asked */
    if (replay_own_stat(t)) {
        if (t->matched)
            replay_done(t->matched);
        t->matched = NULL;
    } else if (t->matched)
        perform(t);
    else
        unmatched(t, c, key);
}

/* A signal that came between earlier calls when recorded may find the thread waiting for a child by now. */
static bool waits_on(const struct task *t, const struct rex_call *c)
{
    return c->hook == REX_HOOK_WAIT && t->matched && t->matched->record->result >= 0;
}

static void exit_stop(struct task *t, int64_t result)
{
    const struct rex_call *c = call_of(t->nr);
    t->last_stop = log_now();
    result = replay_sooner_result(t, result);
    if (t->blocked) {
        t->blocked = false;
        replay_leaves_number(t);
        rewind_call(t);
    } else if (t->stat_as)
        replay_own_stat_exit(t);
    else if (is_descriptor_call(t))
        descriptor_exit(t, result);
    else if (replay_inside_exit(t, result) || replay_naps_longer(t, result))
        return;
    else if (is_interrupted(result) && (waits_on(t, c) || (!t->injected && !t->prodded)) && !replay_ends_by_signal(t)) {
        if (t->waits_inside)
            replay_poll_exit(t, NULL, result);
        rewind_call(t);                   /* cut short by a signal that the log does not have here */
    } else if (t->nr == REX_NR_mmap)
        replay_mapped(t, result);
    else if (t->nr == REX_NR_futex)
        replay_until_exit(t, result);
    else {
        if (c->hook == REX_HOOK_FORK && t->matched && result >= 0)
            t->matched = replay_job_made(t, t->matched);
        replay_call_exit(t, c, t->matched, result);
        if (t->matched && t->matched->done)
            replay_send_with(t, t->matched);
    }
}

static void settle(void)
{
    enum { BEAT_NS = 60000000, STILL_NS = 2000000000 };
    static ull looked_at;
    if ((replay_any_naps() || replay_still_for() > STILL_NS) && log_now() - looked_at > BEAT_NS) {    /* they never leave us without a report */
        looked_at = log_now();
        replay_idle();
    }
    for (struct task *t = tasks; t; t = t->next)
        if (t->alive && t->waits_inside && !t->hastened)
            replay_poll_settle(t);
        else if (t->alive && t->blocked && replay_is_doomed(t))
            replay_kill_due(t);
        else if (t->alive && t->blocked)
            replay_send_to_blocked(t);
    for (struct task *t = tasks; t; t = t->next)
        if (t->alive && t->held && replay_is_turn(t, t->matched) && replay_is_answerable(t, t->matched)) {
            perform(t);
            if (!t->held)
                resume(t, 0);
            t = tasks;                    /* the next may be before this one */
        }
    replay_lines_settle();
    replay_sooner_settle();
    replay_end_if_still();
}

/* ------------------------------------------------------------------ start and end */

void replay_mismatch(const struct event *e)
{
    differs(e, e->record->stream);
}

/* Nobody writes it any more. */
void replay_unwritten(const struct event *e)
{
    const struct record *r = e->record;
    if (r->result <= 0 || !replay_is_output(r->stream, r->call))
        return;
    tell_divergence(e, r->task, e->told ? "written in part" : "never written", "nothing more", NULL);
    replay_mismatch(e);
}

/* What was written when recorded and is not now, or in part, by whom there never was, or who came to less.  Told to stop after a step, a replay leaves the rest. */
static void miss_outputs(void)
{
    for (size_t i = 0; (divergences || plan.gate < 0) && i < event_count; i++)
        if (!events[i].done)
            replay_unwritten(&events[i]);
}

void replay_start(void)
{
    log_load(plan.log);
    replay_match_start();
    replay_suspend_start();
    replay_stuck_start();
    replay_mappings_start();
    replay_peers_start();
    replay_kin_files_start();
    replay_order_start();
    replay_pipes_start();
    replay_output_start();
    replay_shared_start();
    replay_ipc_start();
    replay_rights_start();
    replay_steps_start();
    replay_inherited_start();
    overlay_start();
}

/* The terminal's signals are for us; descriptors that came from outside are stood in for. */
void replay_become(void)
{
    const struct field *f = record_field(script_of(0)->birth, FIELD_WHOLE, FIELD_OUT);
    setsid();
    for (int fd = 3; fd < 1024; fd++)     /* what we inherit is none of the program's */
        fcntl(fd, F_SETFD, FD_CLOEXEC);
    for (size_t i = 0; f && i + 8 <= f->length; i += 8) {
        int pair[2];
        memcpy(pair, f->data + i, sizeof pair);
        int fd = pair[0], made = fd <= 2 ? -1 : pair[1] == 2 || pair[1] == 3 ? pair[1] - 1 : open("/dev/null", O_RDWR | O_CLOEXEC);
        if (made == fd)
            fcntl(fd, F_SETFD, 0);
        else if (made >= 0)
            dup2(made, fd);
        if (made > 2 && made != fd)
            close(made);
    }
    replay_inherit();
}

void replay_finish(int status)
{
    (void)status;
    replay_ipc_finish();
    miss_outputs();
    report_line("divergences=%llu", divergences);
    report_line("mismatches=%llu", mismatches);
    report_line("forced=%llu", replay_forced);
}

const struct handler replayer = {
    .entry = entry, .exit = exit_stop, .born = replay_born, .execed = replay_execed, .signal = replay_signal,
    .stepped = replay_take_number, .ended = replay_ended, .tsc = replay_tsc, .random = replay_random, .start = replay_began, .settle = settle, .idle = replay_idle, .taken = replay_taken, .ready = replay_ready, .all_calls = replay_awaits_call, .leaves = replay_leaves_locks,
};

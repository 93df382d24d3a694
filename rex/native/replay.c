/* Replay: the log in, answers to stops out.
 *
 * Each task has its own queue of events.  A call takes the first event left that
 * is equal in call and key (path, stream, clock), so that threads whose timing
 * differs still find their answers.  Between processes, events that others can
 * see keep the order of the log: a task that comes early is held. */
#include "engine.h"

#include <fcntl.h>
#include <sched.h>
#include <time.h>

enum { LOOKAHEAD = 20000, PATIENCE_NS = 60000000 };

static size_t ordered_head;              /* no undone ordered event lies before it */
static ull divergences, mismatches, forced;

/* ------------------------------------------------------------------ divergence */

static const char *name_of(long nr)
{
    const struct rex_call *c = call_of(nr);
    return c ? c->name : nr == EVENT_SIGNAL ? "signal" : nr == EVENT_TSC ? "rdtsc" : "?";
}

static char *event_text(const struct event *e)
{
    const struct field *f = record_field(e->record, FIELD_WHOLE, FIELD_IN);
    bool path = call_of(e->record->call) && call_of(e->record->call)->key == REX_KEY_PATH;
    return path && f ? text("%s \"%.*s\"", name_of(e->record->call), (int)f->length, f->data)
                     : strdup(name_of(e->record->call));
}

static struct event *next_event(struct task *t)
{
    struct script *s = t->script;
    while (s && s->cursor < s->count && s->event[s->cursor]->done)
        s->cursor++;
    return s && s->cursor < s->count ? s->event[s->cursor] : NULL;
}

/* e: what the log has instead, NULL for the task's next event. */
void replay_diverged(struct task *t, const struct event *e, const char *why)
{
    if (!e)
        e = next_event(t);
    if (divergences++ == 0) {
        char *logged = e ? event_text(e) : strdup("nothing more");
        report_line("divergence=%u\t%u\t%s\t%s%s%s%s\t%s", e ? e->number : (unsigned)event_count,
                    t->script ? t->script->index : UINT32_MAX, why, name_of(t->nr), t->path ? " \"" : "",
                    t->path ? t->path : "", t->path ? "\"" : "", logged);
        free(logged);
    }
}

/* ------------------------------------------------------------------ matching */

bool is_single(struct task *t)
{
    return t->leader->threads <= 1;
}

void replay_done(struct event *e)
{
    e->done = true;
}

static struct event *match_in(struct script *s, long nr, uint64_t key)
{
    while (s->cursor < s->count && s->event[s->cursor]->done)
        s->cursor++;
    for (size_t i = s->cursor; i < s->count && i < s->cursor + LOOKAHEAD; i++) {
        struct event *e = s->event[i];
        if (!e->done && e->record->call == nr && e->key == key)
            return e;
    }
    return NULL;
}

/* Threads share work: what one did when recorded, another may do now. */
static struct event *match_sibling(struct task *t, long nr, uint64_t key)
{
    struct event *best = NULL;
    for (uint32_t i = 0; i < script_total(); i++) {
        struct script *s = script_of(i);
        if (s == t->script || s->tgid != t->script->tgid)
            continue;
        struct event *e = match_in(s, nr, key);
        if (e && (!best || e->number < best->number))
            best = e;
    }
    return best;
}

/* A runtime reads the clock as often as its threads collide, the program as often as it says.
 * Which of them asks shows in where the answer goes: addresses are as they were recorded. */
static struct event *match_clock(struct task *t, uint64_t key)
{
    struct script *s = t->script;
    bool known = false;
    for (size_t i = 0; i < s->count; i++) {
        struct event *e = s->event[i];
        if (e->record->call != REX_NR_clock_gettime || e->key != key || e->record->args[1] != t->args[1])
            continue;
        if (!e->done)
            return e;
        known = true;
    }
    return known ? NULL : match_in(s, REX_NR_clock_gettime, key);
}

static struct event *match(struct task *t, long nr, uint64_t key)
{
    struct event *expected = next_event(t);
    struct event *e = nr == REX_NR_clock_gettime && !is_single(t) ? match_clock(t, key) : match_in(t->script, nr, key);
    if (e && e != expected && is_single(t) && !e->ordered)
        replay_diverged(t, expected, "skipped");
    const struct rex_call *c = call_of(nr);
    bool is_wall_clock = nr == REX_NR_clock_gettime && t->args[0] == CLOCK_REALTIME;
    if (!e && !is_single(t) && c && (c->key == REX_KEY_PATH || c->key == REX_KEY_STREAM || nr == REX_NR_getrandom
                                     || is_wall_clock))
        e = match_sibling(t, nr, key);
    return e;
}

static struct event *answer_in(const struct script *s, long nr, uint64_t key, bool any)
{
    for (size_t i = s->count; i-- > 0; )
        if ((any || s->event[i]->done) && s->event[i]->record->call == nr && s->event[i]->key == key)
            return s->event[i];
    return NULL;
}

/* The answer given last to an equal call, else one that another thread of the process has. */
static struct event *last_answer(struct task *t, long nr, uint64_t key)
{
    struct event *e = answer_in(t->script, nr, key, false);
    for (uint32_t i = 0; !e && !is_single(t) && nr != REX_NR_gettid && i < script_total(); i++)
        if (script_of(i)->tgid == t->script->tgid)
            e = answer_in(script_of(i), nr, key, true);
    return e;
}

static bool is_thread(uint64_t flags)
{
    return flags & CLONE_THREAD;
}

static bool is_asynchronous(const struct event *e)
{
    const struct field *f = record_field(e->record, FIELD_WHOLE, FIELD_OUT);
    siginfo_t info;
    if (e->record->call != EVENT_SIGNAL || !f || f->length < sizeof info)
        return false;
    memcpy(&info, f->data, sizeof info);
    switch (info.si_signo) {
    case SIGSEGV: case SIGBUS: case SIGFPE: case SIGILL: case SIGTRAP: case SIGSYS:
        return info.si_code <= 0;
    }
    return true;
}

/* ------------------------------------------------------------------ order between processes */

static bool is_writing_open(const struct record *r)
{
    int flags = r->call == REX_NR_open ? (int)r->args[1] : r->call == REX_NR_creat ? O_CREAT | O_WRONLY : (int)r->args[2];
    const struct rex_call *c = call_of(r->call);
    if (!c || c->hook != REX_HOOK_OPEN || r->result < 0 || r->stream)
        return false;
    return r->call == REX_NR_openat2 || flags & (O_CREAT | O_TRUNC) || (flags & O_ACCMODE) != O_RDONLY;
}

static char *resolved_of(const struct record *r, uint8_t arg)
{
    const struct field *f = record_field(r, arg, FIELD_RESOLVED);
    return f ? strndup((const char *)f->data, f->length) : NULL;
}

static struct table changed;             /* paths that the experiment writes */

static void note_changed(const struct record *r)
{
    const struct rex_call *c = call_of(r->call);
    if (!c || r->result < 0 || !(c->hook == REX_HOOK_TREE || is_writing_open(r)))
        return;
    for (const struct field *f = field_next(r, NULL); f; f = field_next(r, f))
        if (f->type == FIELD_RESOLVED) {
            char *path = strndup((const char *)f->data, f->length);
            *table_at(&changed, path) = &changed;
            free(path);
        }
}

bool replay_is_changed(const char *path)
{
    return path && table_get(&changed, path);
}

static bool is_ordered(const struct record *r)
{
    const struct rex_call *c = call_of(r->call);
    if (r->call == EVENT_EXIT)
        return true;
    if (!c || r->result < 0)
        return false;
    if (c->hook == REX_HOOK_TREE)
        return true;
    if (r->call == REX_NR_write || r->call == REX_NR_writev)
        return r->stream == 2 || r->stream == 3;
    if (c->hook != REX_HOOK_OPEN || r->stream)
        return false;
    char *path = resolved_of(r, FIELD_WHOLE);
    bool result = replay_is_changed(path);
    free(path);
    return result;
}

static bool same_process(uint32_t a, uint32_t b)
{
    return a == b || (script_of(a)->tgid && script_of(a)->tgid == script_of(b)->tgid);
}

static bool is_turn(struct task *t, const struct event *e)
{
    if (!e->ordered)
        return true;
    while (ordered_head < event_count && (events[ordered_head].done || !events[ordered_head].ordered))
        ordered_head++;
    for (size_t i = ordered_head; i < e->number; i++)
        if (events[i].ordered && !events[i].done && !same_process(events[i].record->task, t->script->index))
            return false;
    return true;
}

/* ------------------------------------------------------------------ signals */

/* A signal between processes of the experiment is not due before its sender has sent it,
 * nor a child's end before the child has ended. */
static bool is_sent(struct task *t, const struct event *e)
{
    const struct field *f = record_field(e->record, FIELD_WHOLE, FIELD_OUT);
    siginfo_t info;
    memcpy(&info, f->data, sizeof info);
    struct script *sender = info.si_code <= 0 || info.si_signo == SIGCHLD ? script_named((uint32_t)info.si_pid) : NULL;
    if (!sender || info.si_code == SI_TIMER || info.si_code == SI_MESGQ || info.si_code == SI_ASYNCIO)
        return true;
    if (info.si_code > 0)
        return !sender->exit || sender->exit->done || info.si_code == CLD_STOPPED || info.si_code == CLD_CONTINUED;
    return script_named(t->script->tgid)->sent[info.si_signo & 63] > 0;
}

/* A call of the kill family succeeded: its target may now have the signal. */
void replay_sent(struct task *t)
{
    bool by_group = t->nr == REX_NR_tgkill || t->nr == REX_NR_rt_tgsigqueueinfo;
    int pid = (int)t->args[by_group], sig = (int)t->args[1 + by_group] & 63;
    struct script *target = pid > 0 && t->nr != REX_NR_pidfd_send_signal ? script_named((uint32_t)pid) : NULL;
    target = target ? script_named(target->tgid) : NULL;
    for (uint32_t i = 0; i < script_total(); i++)
        if (!target || script_of(i) == target)
            script_of(i)->sent[sig]++;
}

static void send_now(struct task *t, struct event *e)
{
    uint8_t *sent = script_named(t->script->tgid) ? &script_named(t->script->tgid)->sent[e->record->args[0] & 63] : NULL;
    if (sent && *sent)
        --*sent;
    t->injected = e;
    if (tgkill(t->leader->tid, t->tid, (int)e->record->args[0]))
        replay_done(e);
}

static struct event *event_after(struct task *t, const struct event *e)
{
    struct script *s = t->script;
    size_t i = s->cursor;
    while (i < s->count && s->event[i] != e)
        i++;
    for (i++; i < s->count && s->event[i]->done; i++)
        ;
    return i < s->count ? s->event[i] : NULL;
}

bool replay_send(struct task *t, struct event *e)
{
    struct event *next = event_after(t, e);
    if (!next || t->injected || !is_asynchronous(next))
        return false;
    send_now(t, next);
    return true;
}

/* A signal that came as the call returned comes so again: the program may look for it at once. */
static void send_at_return(struct task *t, struct event *e)
{
    struct event *next = event_after(t, e);
    if (next && next->record->call == EVENT_SIGNAL && next->record->args[2])
        replay_send(t, e);
}

static bool signal_stop(struct task *t, int sig)
{
    struct event *e = t->injected;
    siginfo_t info;
    t->last_stop = log_now();
    if (e && (int)e->record->args[0] == sig) {
        const struct field *f = record_field(e->record, FIELD_WHOLE, FIELD_OUT);
        memcpy(&info, f->data, sizeof info);
        if (sig != SIGSTOP)
            ptrace(PTRACE_SETSIGINFO, t->tid, 0, &info);
        t->injected = NULL;
        replay_done(e);
        return true;
    }
    ptrace(PTRACE_GETSIGINFO, t->tid, 0, &info);
    bool fault = info.si_code > 0 && (sig == SIGSEGV || sig == SIGBUS || sig == SIGFPE || sig == SIGILL
                                      || sig == SIGTRAP || sig == SIGSYS);
    if (!fault && sig != SIGPIPE)
        return false;                     /* the log says when others come */
    e = next_event(t);
    if (e && e->record->call == EVENT_SIGNAL && (int)e->record->args[0] == sig)
        replay_done(e);
    return true;
}

/* ------------------------------------------------------------------ calls */

void replay_emulate(struct task *t, struct event *e)
{
    const struct record *r = e->record;
    put_outputs(t, r);
    if (r->call == REX_NR_clock_gettime || r->call == REX_NR_gettimeofday)
        t->script->clock_at = log_now();
    send_at_return(t, e);
    skip_call(t, r->result);
    replay_done(e);
}

/* A clock that is read more often than when recorded goes on from its last reading. */
static void go_on(struct task *t, const struct rex_call *c)
{
    int arg = t->nr == REX_NR_clock_gettime;
    int64_t now[2], unit = t->nr == REX_NR_gettimeofday ? 1000 : 1;
    ull passed = log_now() - t->script->clock_at;
    if (c->policy != REX_EMULATE || (t->nr != REX_NR_clock_gettime && t->nr != REX_NR_gettimeofday)
        || !mem_read(t->tid, t->args[arg], now, sizeof now))
        return;
    now[1] = now[1] * unit + (int64_t)(passed % 1000000000);
    now[0] += (int64_t)(passed / 1000000000) + now[1] / 1000000000;
    now[1] = now[1] % 1000000000 / unit;
    mem_write(t->tid, t->args[arg], now, sizeof now);
}

static bool is_doomed(struct task *t)
{
    return t->script && t->script->exit && (t->script->exit->record->result & 0x7f) == SIGKILL && !next_event(t);
}

static void unmatched(struct task *t, const struct rex_call *c, uint64_t key)
{
    struct event *last = c->policy == REX_EMULATE ? last_answer(t, t->nr, key) : NULL;
    if (is_doomed(t)) {
        kill(t->leader->tid, SIGKILL);
        return;
    }
    bool is_wait = c->hook == REX_HOOK_POLL || c->hook == REX_HOOK_SELECT || c->hook == REX_HOOK_EPOLL_WAIT;
    if (is_wait && replay_wait_freely(t, NULL))
        return;                           /* threads wait as often as they have to */
    if (c->hook == REX_HOOK_SLEEP && !is_single(t))
        return;
    bool is_new_thread = c->hook == REX_HOOK_FORK && is_thread(fork_flags(t));
    bool is_extra = t->leader->script && !t->script->birth;
    if (!is_new_thread && !is_extra && (!last || is_single(t)))
        replay_diverged(t, NULL, last ? "repeated" : "not in the log");
    if (last) {
        put_outputs(t, last->record);
        go_on(t, c);
        skip_call(t, last->record->result);
    } else
        replay_unmatched(t, c);
}

static void perform(struct task *t)
{
    struct event *e = t->matched;
    t->held = !is_turn(t, e);
    if (!t->held)
        replay_call(t, call_of(t->nr), e);
}

static void entry(struct task *t)
{
    const struct rex_call *c = call_of(t->nr);
    struct event *next = next_event(t);
    t->last_stop = log_now();
    t->matched = NULL;
    t->stream = 0;
    if (!c) {
        skip_call(t, -ENOSYS);
        return;
    }
    bool external = call_streams(t);
    if (c->policy == REX_NATIVE || c->policy == REX_REFUSE || (c->policy == REX_STREAM && !external)
        || t->nr == REX_NR_restart_syscall)
        return;
    if (is_descriptor_call(t)) {
        t->want_exit = true;
        return;
    }
    if (next && is_asynchronous(next) && t->injected != next) {
        send_now(t, next);                /* it came before this call */
        if (t->injected) {
            rewind_call(t);
            return;
        }
    } else if (t->injected) {             /* it is blocked, and will come when it is not */
        replay_done(t->injected);
        t->injected = NULL;
    }
    read_names(t);
    uint64_t key = call_key(c, t->nr, t->path, t->stream, t->args);
    t->matched = match(t, t->nr, key);
    if (t->matched)
        perform(t);
    else
        unmatched(t, c, key);
}

static void exit_stop(struct task *t, int64_t result)
{
    const struct rex_call *c = call_of(t->nr);
    t->last_stop = log_now();
    if (t->scratch_due)
        replay_scratch_made(t, result);
    else if (is_descriptor_call(t))
        descriptor_exit(t, result);
    else if (result <= -512 && result >= -516 && !t->injected)
        rewind_call(t);                   /* cut short by a signal that the log does not have here */
    else {
        replay_call_exit(t, c, t->matched, result);
        if (t->matched && t->matched->done)
            send_at_return(t, t->matched);
    }
}

static void settle(void)
{
    for (struct task *t = tasks; t; t = t->next)
        if (t->alive && t->held && is_turn(t, t->matched)) {
            perform(t);
            if (!t->held)
                resume(t, 0);
            t = tasks;                    /* the next may be before this one */
        }
}

/* ------------------------------------------------------------------ waiting that the log must end */

static char state_of(struct task *t)
{
    char name[48], line[512] = "";
    snprintf(name, sizeof name, "/proc/%d/task/%d/stat", t->leader->tid, t->tid);
    FILE *f = fopen(name, "re");
    size_t n = f ? fread(line, 1, sizeof line - 1, f) : 0;
    if (f)
        fclose(f);
    char *end = n ? strrchr(line, ')') : NULL;
    return end && end[1] ? end[2] : '?';
}

/* A signal is due that no call of the task waits for: it sleeps or computes until it comes. */
static bool is_signal_due(struct task *t, bool all_sleep)
{
    struct event *e = next_event(t);
    if (!e || !is_asynchronous(e) || t->injected == e || t->held || !is_sent(t, e))
        return false;
    size_t at = t->script->cursor;
    ull before = at ? t->script->event[at - 1]->record->time : t->script->birth->time;
    ull waited = log_now() - t->last_stop;
    return waited > PATIENCE_NS && (all_sleep || waited > e->record->time - before);
}

static bool do_all_sleep(void)
{
    for (struct task *t = tasks; t; t = t->next) {
        char state = t->alive && !t->held ? state_of(t) : 'S';
        if (state == 'R' || state == 'D' || (t->alive && log_now() - t->last_stop < PATIENCE_NS))
            return false;
    }
    return true;
}

static void idle(void)
{
    struct task *earliest = NULL;
    bool all_sleep = do_all_sleep(), sent = false;
    for (struct task *t = tasks; t; t = t->next) {
        if (!t->alive)
            continue;
        if (is_doomed(t) && (all_sleep || script_named(t->script->tgid)->sent[SIGKILL]))
            kill(t->leader->tid, SIGKILL);
        else if (is_signal_due(t, all_sleep)) {
            send_now(t, next_event(t));
            sent = true;
        } else if (t->held && (!earliest || t->matched->number < earliest->matched->number))
            earliest = t;
    }
    if (!earliest || sent || !all_sleep)
        return;
    forced++;                             /* nothing else can move: this order cannot be kept */
    earliest->held = false;
    replay_call(earliest, call_of(earliest->nr), earliest->matched);
    if (!earliest->held)
        resume(earliest, 0);
}

/* ------------------------------------------------------------------ tasks */

static void set_tid_at(struct task *in, uint64_t at, uint32_t tid)
{
    if (at && tid)
        mem_write(in->tid, at, &tid, sizeof tid);
}

static void tid_addresses(struct task *parent, uint64_t *in_parent, uint64_t *in_child)
{
    *in_parent = parent->args[2];
    *in_child = parent->args[3];
    if (parent->nr == REX_NR_clone3) {
        mem_read(parent->tid, parent->args[0] + 16, in_child, sizeof *in_child);
        mem_read(parent->tid, parent->args[0] + 24, in_parent, sizeof *in_parent);
    }
}

enum { PARENT_SETTID = 0x00100000, CHILD_SETTID = 0x01000000 };

static void inherit(struct task *t)
{
    const struct field *f = record_field(t->script->birth, FIELD_WHOLE, FIELD_OUT);
    for (size_t i = 0; f && i + 8 <= f->length; i += 8) {
        int pair[2];
        memcpy(pair, f->data + i, sizeof pair);
        files_set(t->files, pair[0], (uint32_t)pair[1]);
    }
}

static void born(struct task *parent, struct task *t, uint64_t flags)
{
    t->script = parent ? parent->script ? script_child(parent->script->index, parent->children++) : NULL : script_of(0);
    t->last_stop = log_now();
    if (!t->script || !t->script->birth) {
        t->script = zalloc(sizeof *t->script);
        t->script->index = UINT32_MAX;
        if (!is_thread(flags))            /* a runtime may need one more thread, or one fewer */
            replay_diverged(t, NULL, "a task that the log does not have");
        else if (t->leader->script)
            t->script->tgid = t->leader->script->tgid;
        return;
    }
    if (!parent) {
        inherit(t);
        return;
    }
    uint64_t in_parent = 0;
    tid_addresses(parent, &in_parent, &t->child_tid_at);
    if (!(flags & CHILD_SETTID))
        t->child_tid_at = 0;
    if (flags & PARENT_SETTID && parent->nr != REX_NR_fork && parent->nr != REX_NR_vfork)
        set_tid_at(parent, in_parent, t->script->tid);
}

/* The kernel has stored the real number by now. */
static void start(struct task *t)
{
    if (t->script)
        set_tid_at(t, t->child_tid_at, t->script->tid);
}

static void ended(struct task *t, int status)
{
    (void)status;
    struct script *s = t->script;
    t->held = false;
    for (size_t i = s ? s->cursor : 0; s && i < s->count; i++)
        if (!s->event[i]->done) {
            if (call_of(s->event[i]->record->call) && is_single(t) && !(t->leader != t))
                replay_diverged(t, s->event[i], "ended early");
            replay_done(s->event[i]);
        }
    if (s && s->exit)
        replay_done(s->exit);
}

static void tsc(struct task *t, bool with_aux, uint64_t *value, uint32_t *aux)
{
    (void)with_aux;
    struct event *e = match(t, EVENT_TSC, 0);
    struct event *last = e ? e : last_answer(t, EVENT_TSC, 0);
    *value = last ? (uint64_t)last->record->result : 0;
    *aux = last ? (uint32_t)last->record->args[0] : 0;
    if (e)
        replay_done(e);
}

struct task *task_named(uint32_t recorded)
{
    for (struct task *t = tasks; t; t = t->next)
        if (t->alive && t->script && t->script->tid == recorded)
            return t;
    return NULL;
}

/* The task structures of ended processes stay, under the names that their parents know. */
pid_t replay_dead(uint32_t recorded)
{
    for (struct task *t = tasks; t; t = t->next)
        if (t->script && t->script->tid == recorded && t->tid)
            return t->tid;
    return 0;
}

/* ------------------------------------------------------------------ start and end */

void replay_mismatch(const struct event *e)
{
    if (mismatches++ == 0)
        report_line("output_differs=%u\t%u", e->number, e->record->stream);
}

void replay_start(void)
{
    log_load(plan.log);
    for (size_t i = 0; i < event_count; i++)
        note_changed(events[i].record);
    for (size_t i = 0; i < event_count; i++)
        events[i].ordered = is_ordered(events[i].record);
    overlay_start();
}

/* The terminal's signals are for us; descriptors that came from outside are stood in for. */
void replay_become(void)
{
    const struct field *f = record_field(script_of(0)->birth, FIELD_WHOLE, FIELD_OUT);
    setsid();
    for (size_t i = 0; f && i + 8 <= f->length; i += 8) {
        int fd;
        memcpy(&fd, f->data + i, sizeof fd);
        int null = fd > 2 ? open("/dev/null", O_RDWR | O_CLOEXEC) : -1;
        if (null >= 0 && null != fd) {
            dup2(null, fd);
            close(null);
        } else if (null == fd)
            fcntl(fd, F_SETFD, 0);
    }
}

void replay_finish(int status)
{
    (void)status;
    report_line("divergences=%llu", divergences);
    report_line("mismatches=%llu", mismatches);
    report_line("forced=%llu", forced);
}

const struct handler replayer = {
    .entry = entry, .exit = exit_stop, .born = born, .execed = replay_execed, .signal = signal_stop,
    .stepped = start, .ended = ended, .tsc = tsc, .start = start, .settle = settle, .idle = idle,
};

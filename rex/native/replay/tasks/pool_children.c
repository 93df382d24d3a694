/* Replay: processes that the threads of a pool start.
 *
 * Which thread starts which process is decided by locks that no stop shows.  So a call that makes a process
 * may be a sibling's, and the child has no name until it executes a program.  Then it takes the place of the process
 * that executed the same when recorded, and its parent, in vfork until then, gets that process's number. */
#include "base/base.h"
#include "log/log.h"
#include "log/repeats.h"
#include "mode/mode.h"
#include "replay/clock/clock.h"
#include "replay/index/index.h"
#include "replay/match/match.h"
#include "replay/progress/delays.h"
#include "replay/regime/regime.h"
#include "replay/tasks/internal.h"
#include "replay/tasks/tasks.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <sched.h>
#include <sys/wait.h>

static bool divides_work(const struct task *t)
{
    return regime_of(t) == THREADS && plan.gate < 0;
}

static bool is_job_of(const struct task *parent, const struct task_log *s)
{
    return s->birth && !(s->birth->args[2] & CLONE_THREAD) && s->birth->args[0] < task_log_total()
        && replay_is_sibling(parent, task_log_of((uint32_t)s->birth->args[0]));
}

/* ------------------------------------------------------------------ calls that make, or wait for, one */

static bool waits_alike(const struct task *t, const struct event *e)
{
    return !e->done && replay_waits_for_same(t, e);
}

static bool makes_process(const struct task *t, const struct event *e)
{
    (void)t;
    struct task_log *made = e->done || e->record->result < 0 ? NULL : task_log_named((uint32_t)e->record->result);
    return made && made->birth && !made->is_taken && !(made->birth->args[2] & CLONE_THREAD);
}

/* The task's own is preferred, then the first of its siblings. */
static struct event *find(struct task *t, long nr, bool (*fits)(const struct task *t, const struct event *e))
{
    struct event *best = NULL;
    for (uint32_t i = 0; i < task_log_total(); i++) {
        struct task_log *s = task_log_of(i);
        bool is_own = s == t->task_log;
        struct event *e = is_own || replay_is_sibling(t, s) ? replay_queue(s, nr, call_key(call_of(nr), nr, NULL, 0, t->args)) : NULL;
        while (e && !fits(t, e))
            e = e->next[0];
        if (e && is_own)
            return e;
        if (e && (!best || e->number < best->number))
            best = e;
    }
    return best;
}

/* Its events up to a place have happened, the others not. */
static void set_place(struct task_log *s, size_t place)
{
    for (size_t i = 0; i < s->count; i++) {
        s->event[i]->done = i < place || s->event[i]->aside;
        if (!s->event[i]->done && s->event[i]->repeats)
            repeats_rewind(s->event[i]->repeats);
        replay_requeue(s, s->event[i]);
        if (is_clock(s->event[i]->record->call))
            replay_clock_requeue(s, s->event[i]);
    }
    s->cursor = s->readings_to = s->done_to = s->past = 0;
}

static bool is_alive(const struct task_log *job)
{
    for (const struct task *t = tasks; t; t = t->next)
        if (t->alive && t->task_log && t->task_log->tgid == job->tgid)
            return true;
    return false;
}

/* The job, with its threads, has what the log has of it again. */
static void do_again(struct task_log *job)
{
    for (uint32_t i = 0; i < task_log_total(); i++) {
        struct task_log *s = task_log_of(i);
        if (!s->birth || s->birth->args[5] != job->index)
            continue;
        set_place(s, 0);
        s->is_taken = s->is_end_reported = false;
        s->answered = s->reached = s->did = NULL;
        s->said = NULL;
        s->last_end = NULL;
        s->execs = 0;
        if (s->exit)
            s->exit->done = false;
    }
}

/* The call that made a process which has ended, for one that is made once more than when recorded. */
static struct event *find_ended(struct task *t, long nr)
{
    for (size_t i = event_count; i-- > 0; ) {
        struct event *e = &events[i];
        struct task_log *made = e->record->call == nr && e->record->result > 0 && e->done && replay_is_sibling(t, task_log_of(e->record->task))
            ? task_log_named((uint32_t)e->record->result) : NULL;
        if (!made || !is_job_of(t, made) || is_alive(made))
            continue;
        do_again(made);
        made->is_again = true;
        return e;
    }
    return NULL;
}

static struct event *find_fork(struct task *t, long nr)
{
    struct event *e = find(t, nr, makes_process);
    return e ? e : find_ended(t, nr);
}

bool replay_is_of_jobs(long nr)
{
    const struct rex_call *c = call_of(nr);
    return c && (c->hook == REX_HOOK_FORK || c->hook == REX_HOOK_WAIT);
}

/* For a child that it names: in a memory group as well. */
static bool waits_for_job(struct task *t, long nr)
{
    bool by_id = nr == REX_NR_waitid;
    return has_shared_work(t) && plan.gate < 0 && replay_is_of_jobs(nr) && call_of(nr)->hook == REX_HOOK_WAIT && (int)t->args[by_id] > 0
        && (!by_id || t->args[0] == P_PID);
}

static struct event *find_wait(struct task *t, long nr)
{
    return waits_for_job(t, nr) ? find(t, nr, waits_alike) : NULL;
}

/* Whether what the log has of a wait may answer the task's. */
bool replay_waits_alike(const struct task *t, const struct event *e)
{
    return replay_waits_for_same(t, e) && !replay_alone_is_later(t, e);
}

/* NULL: as for any other call. */
struct event *replay_job_event(struct task *t, long nr)
{
    if (!replay_is_of_jobs(nr))
        return NULL;
    if (call_of(nr)->hook == REX_HOOK_FORK)
        return !divides_work(t) || fork_flags(t) & CLONE_THREAD ? NULL : find_fork(t, nr);
    struct event *e = find_wait(t, nr);
    return e && replay_alone_is_later(t, e) ? NULL : e;
}

/* ------------------------------------------------------------------ names */

bool replay_is_nameless(const struct task *t)
{
    return family(t)->is_nameless;
}

/* What a process is called as it is born: as the call that makes it says. */
struct task_log *replay_job_born(struct task *parent, struct task *t, uint64_t flags)
{
    if (flags & CLONE_THREAD || !divides_work(parent) || !parent->matched)
        return NULL;
    parent->matched = find_fork(parent, parent->nr);      /* a sibling may have matched the same */
    struct task_log *s = parent->matched ? task_log_named((uint32_t)parent->matched->record->result) : NULL;
    if (!s)
        return NULL;
    family(t)->is_nameless = parent->vforking;
    family(t)->maker = parent;
    family(parent)->newborn = t;
    return s;
}

/* Whether the first program that a process executed was this, with its arguments. */
static bool has_executed(const struct task_log *s, const struct bytes *arguments)
{
    size_t i = 0;
    while (i < s->count && !replay_executes(s->event[i]->record))
        i++;
    const struct record *r = i < s->count ? s->event[i]->record : NULL;
    const struct field *f = r ? record_field(r, (uint8_t)(name_args(r->call).path + 1), FIELD_ARGV) : NULL;
    return f && f->length == arguments->used && !memcmp(f->data, arguments->data, arguments->used);
}

/* How many events come before it first tried to execute something. */
static size_t before_exec(const struct task_log *s)
{
    size_t i = 0;
    for (; i < s->count; i++) {
        const struct rex_call *c = call_of(s->event[i]->record->call);
        if (c && c->hook == REX_HOOK_EXEC)
            break;
    }
    return i;
}

/* The logged call that one that may be this job makes before it executes, reported already or not; NULL: nothing, or its name is known. */
struct event *replay_job_prepares(struct task *t, long nr, uint64_t key)
{
    struct event *found = NULL;
    for (uint32_t i = 0; family(t)->is_nameless && i < task_log_total(); i++) {
        const struct task_log *s = task_log_of(i);
        size_t n = is_job_of(family(t)->maker, s) ? before_exec(s) : 0;
        for (size_t k = 0; k < n; k++)
            if (s->event[k]->record->call == nr && s->event[k]->key == key && (!found || found->done))
                found = s->event[k];
    }
    return found;
}

static size_t done_in(const struct task_log *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->count; i++)
        n += s->event[i]->done && !s->event[i]->aside;
    return n;
}

/* Who has the name, if that is open yet. */
static struct task *nameless(const struct task_log *s)
{
    for (struct task *t = tasks; t; t = t->next)
        if (t->alive && t->task_log == s)
            return family(t)->is_nameless ? t : NULL;
    return NULL;
}

static void rename_job(struct task *t, struct task_log *to)
{
    struct task_log *from = t->task_log;
    struct task *other = to->is_taken ? nameless(to) : NULL;
    size_t others_place = done_in(to);
    from->is_taken = other != NULL || from->is_again;
    set_place(from, other ? others_place : from->is_again ? from->count : 0);
    from->is_again &= other != NULL;
    if (other)
        other->task_log = from;
    to->is_taken = true;
    set_place(to, before_exec(to));
    t->task_log = to;
}

/* Of those that executed the same the first that is left: jobs are begun in the order of their queue. */
static struct task_log *job_named(struct task *t, const struct bytes *arguments)
{
    struct task_log *held = NULL;
    for (uint32_t i = 0; i < task_log_total(); i++) {
        struct task_log *s = task_log_of(i);
        bool is_left = s == t->task_log || !s->is_taken;
        if (!is_job_of(family(t)->maker, s) || !(is_left || nameless(s)) || !has_executed(s, arguments))
            continue;
        if (is_left)
            return s;
        held = held ? held : s;
    }
    return held;
}

/* ------------------------------------------------------------------ once more than when recorded */

/* Threads that look at the same time whether a thing has been done may both do it. */
static struct task_log *job_done(struct task *t, const struct bytes *arguments)
{
    for (uint32_t i = 0; i < task_log_total(); i++)
        if (is_job_of(family(t)->maker, task_log_of(i)) && has_executed(task_log_of(i), arguments))
            return task_log_of(i);
    return NULL;
}

static void waited(struct task *t, int64_t result)
{
    (void)t;
    (void)result;
}

/* ------------------------------------------------------------------ */

/* As a nameless process executes, or tries to.  True: it waits for its like to end, and comes again. */
bool replay_job_executes(struct task *t, const struct bytes *arguments)
{
    const uint64_t sleep_args[6] = {0, 0, POOL_PAUSE_MS};
    struct task_log *s = job_named(t, arguments), *again = s ? NULL : job_done(t, arguments);
    if (again && is_alive(again)) {
        insert_call(t, REX_NR_poll, sleep_args, waited);
        return true;
    }
    if (again)
        do_again(s = again);
    if (s && s != t->task_log)
        rename_job(t, s);
    else
        set_place(t->task_log, before_exec(t->task_log));     /* another may have had its event of that */
    family(t)->is_nameless = false;
    return false;
}

/* The event of a call that made a process, now that it has its name. */
struct event *replay_job_made(struct task *t, struct event *e)
{
    struct task *child = family(t)->newborn;
    family(t)->newborn = NULL;
    if (!child || !child->task_log || (int64_t)child->task_log->tid == e->record->result)
        return e;
    for (uint32_t i = 0; i < task_log_total(); i++)
        for (struct event *other = replay_queue(task_log_of(i), e->record->call, e->key); other; other = other->next[0])
            if (!other->done && other->record->result == (int64_t)child->task_log->tid)
                return other;
    for (size_t i = 0; i < event_count; i++)          /* of a job that is done again */
        if (events[i].record->call == e->record->call && events[i].record->result == (int64_t)child->task_log->tid)
            return &events[i];
    return e;
}

/* Of jobs that have one number, as they are one done again, the thread's own, else one that nobody has waited for yet. */
struct task *replay_job_waited(struct task *t, uint32_t recorded)
{
    struct task *of[] = {tasks, ended_processes}, *found = NULL;
    for (int i = 0; i < 2; i++)
        for (struct task *other = of[i]; other; other = other->next) {
            bool has_number = other->leader == other && other->task_log && other->task_log->tid == recorded && other->tid;
            if (has_number && (!kill(other->tid, 0) || errno != ESRCH) && (!found || (family(other)->maker == t && family(found)->maker != t)))
                found = other;
        }
    return found ? found : task_named(recorded);
}

/* Another thread has waited for that child meanwhile, of two that have one number. */
bool replay_is_job_left(struct task *t, const struct event *e)
{
    int64_t pid = e ? replay_waited(e->record) : (int64_t)(int)t->args[t->nr == REX_NR_waitid];
    const struct task *child = pid > 0 && has_shared_work(t) ? replay_job_waited(t, (uint32_t)pid) : NULL;
    return child && !kill(child->tid, 0);
}

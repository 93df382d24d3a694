/* Replay: tasks are born, and end, under the names that the log has for them. */
#include "base/base.h"
#include "callstack/callstack.h"
#include "log/log.h"
#include "replay/index/index.h"
#include "replay/match/match.h"
#include "replay/pipes/pipes.h"
#include "replay/rules/rules.h"
#include "replay/tasks/internal.h"
#include "replay/tasks/tasks.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"
#include "track/track.h"

#include <sched.h>

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
    const struct field *f = record_field(t->task_log->birth, FIELD_WHOLE, FIELD_OUT);
    for (size_t i = 0; f && i + 8 <= f->length; i += 8) {
        int pair[2];
        memcpy(pair, f->data + i, sizeof pair);
        files_set(t->files, pair[0], (uint32_t)pair[1]);
    }
}

static bool is_thread(const struct task_log *s)
{
    return s->birth && s->birth->args[2] & CLONE_THREAD;
}

/* The next of its kind: runtimes make threads as they need them, so that the ordinals of processes would shift. */
static struct task_log *child_of(struct task *parent, bool wants_thread)
{
    uint32_t *next = wants_thread ? &family(parent)->next_thread : &family(parent)->next_process;
    struct task_log *s;
    while ((s = task_log_child(parent->task_log->index, *next)) && (is_thread(s) != wants_thread || (wants_thread && s->is_taken)))
        ++*next;
    *next += !wants_thread;               /* a process may yet be given another name */
    return s;
}

/* A thread without a name yet, made by the same functions, if that is known: a pool makes one more, or another of its
 * threads makes one. */
static struct task_log *thread_of(struct task *parent)
{
    struct task_log *next = child_of(parent, true), *of_process = NULL;
    int64_t maker = (int64_t)maker_of(parent);
    bool tells = false;
    if (!maker || (next && (!next->birth->result || next->birth->result == maker)))
        return next;
    for (uint32_t i = 0; i < task_log_total(); i++) {
        struct task_log *s = task_log_of(i);
        if (!is_thread(s) || s->tgid != parent->leader->task_log->tgid)
            continue;
        tells |= s->birth->result != 0;
        if (s->is_taken || s->birth->result != maker)
            continue;
        if ((uint32_t)s->birth->args[0] == parent->task_log->index)
            return s;
        of_process = of_process ? of_process : s;
    }
    return of_process || tells ? of_process : next;
}

void replay_born(struct task *parent, struct task *t, uint64_t flags)
{
    struct task_log *next = parent ? parent->task_log ? flags & CLONE_THREAD ? thread_of(parent) : child_of(parent, false) : NULL : task_log_of(0);
    struct task_log *job = parent && parent->task_log ? replay_job_born(parent, t, flags) : NULL;    /* t has no log yet: none is taken for alive */
    t->task_log = job ? job : next;
    t->last_stop = log_now();
    if (!t->task_log || !t->task_log->birth) {
        t->task_log = zalloc(sizeof *t->task_log);
        t->task_log->index = UINT32_MAX;
        if (!(flags & CLONE_THREAD))            /* a runtime may need one more thread, or one fewer */
            replay_diverged(t, NULL, "a task that the log does not have");
        else if (t->leader->task_log)
            t->task_log->tgid = t->leader->task_log->tgid;
        return;
    }
    t->task_log->is_taken = true;
    if (!parent) {
        inherit(t);
        return;
    }
    replay_group_born(parent, t, flags);
    int64_t pipes = flags & CLONE_THREAD ? 0 : t->task_log->birth->result;
    t->joins_turns = pipes & JOINS_TURNS;
    pipe_inherited(parent, t, flags);
    if (pipes & SPEAKS_HIGH)
        pipe_inherited_high(t);
    struct task_log *step = family(parent)->step;
    if ((family(t)->step = step ? step : replay_is_step(t->task_log) ? t->task_log : NULL))
        family(t)->step->step_tasks++;
    uint64_t in_parent = 0;
    tid_addresses(parent, &in_parent, &family(t)->child_tid_at);
    if (!(flags & CHILD_SETTID))
        family(t)->child_tid_at = 0;
    if (flags & PARENT_SETTID)
        set_tid_at(parent, in_parent, t->task_log->tid);
}

/* The kernel has stored the real number by now. */
void replay_take_number(struct task *t)
{
    if (t->task_log)
        set_tid_at(t, family(t)->child_tid_at, t->task_log->tid);
}

void replay_began(struct task *t)
{
    replay_take_number(t);
    t->has_locks |= t != t->leader;       /* shared with other threads */
    if (t->has_locks)
        task_watch_end(t, END_WITH_LOCKS, true);
    family(t)->is_skipped = t->task_log && t->task_log == family(t)->step && replay_step_skipped(t);
}

bool replay_is_skipped(const struct task *t)
{
    return family(t)->is_skipped;
}

/* Those that share its work may take it; nobody waits for it. */
static bool is_left_to_siblings(struct task *t, struct event *e)
{
    e->ordered &= !has_shared_work(t);
    long nr = e->record->call;
    bool is_poll = call_of(nr) && call_of(nr)->hook == REX_HOOK_POLL;
    return has_shared_work(t) && (replay_is_shareable(nr) || lists_directory(nr) || replay_is_of_jobs(nr) || is_poll);
}

/* A process needed fewer threads than when recorded: nobody is to wait for what these did. */
static void cross_out_unborn(const struct task_log *leader)
{
    for (uint32_t i = 0; i < task_log_total(); i++) {
        struct task_log *s = task_log_of(i);
        bool is_unborn = is_thread(s) && s->birth->args[5] == leader->index && !s->is_taken;
        for (size_t k = 0; is_unborn && k < s->count; k++) {
            if (!s->event[k]->done)
                replay_unwritten(s->event[k]);
            replay_done(s->event[k]);
        }
    }
}

void replay_ended(struct task *t, int status, const struct rusage *used)
{
    (void)status;
    (void)used;
    struct task_log *s = t->task_log;
    t->held = false;
    replay_arrival_back(t);
    if (t->matched)
        t->matched->taker = NULL;
    for (size_t i = s ? s->cursor : 0; s && i < s->count; i++)
        if (!s->event[i]->done && !is_left_to_siblings(t, s->event[i])) {
            const struct record *r = s->event[i]->record;
            if (call_of(r->call) && !has_shared_work(t) && !(t->leader != t) && !replay_is_pace(r->call) && !replay_is_pipe_stat(s->event[i])) {
                replay_diverged(t, s->event[i], "ended early");
                if (r->result > 0 && replay_is_output(r->stream, r->call))
                    replay_mismatch(s->event[i]);
            }
            replay_done(s->event[i]);
        }
    if (s && s->exit)
        replay_done(s->exit);
    if (t == t->leader && s && s->birth)
        cross_out_unborn(s);
    if (family(t)->step && !--family(t)->step->step_tasks && !family(t)->is_skipped)
        replay_step_ended(t, family(t)->step);
}

struct task *task_named(uint32_t recorded)
{
    for (struct task *t = tasks; t; t = t->next)
        if (t->alive && t->task_log && t->task_log->tid == recorded)
            return t;
    return NULL;
}

pid_t replay_dead(uint32_t recorded)
{
    struct task *of[] = {tasks, ended_processes};
    for (int i = 0; i < 2; i++)
        for (struct task *t = of[i]; t; t = t->next)
            if (t->task_log && t->task_log->tid == recorded && t->tid)
                return t->tid;
    return 0;
}

struct task *replay_task_of(pid_t real)
{
    struct task *of[] = {tasks, ended_processes};
    for (int i = 0; i < 2; i++)
        for (struct task *t = of[i]; t; t = t->next)
            if (t->tid == real && t->task_log && t->task_log->tid)
                return t;
    return NULL;
}

uint32_t replay_recorded(pid_t real)
{
    const struct task *t = replay_task_of(real);
    return t ? t->task_log->tid : 0;
}

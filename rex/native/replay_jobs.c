/* Replay: processes that the threads of a pool start.
 *
 * Which thread starts which process is decided by locks that no stop shows.  So a call that makes a process
 * may be that of a mate, and the child is nameless until it executes: then it takes the place of the process
 * that executed the same when recorded, which its parent, in vfork until then, is told. */
#include "engine.h"

#include <sched.h>
#include <sys/wait.h>

static bool divides_work(const struct task *t)
{
    return !serial_on && t->leader->threaded && !is_kin(t) && plan.gate < 0;
}

static bool is_job_of(const struct task *parent, const struct script *s)
{
    return s->birth && !(s->birth->args[2] & CLONE_THREAD) && s->birth->args[0] < script_total()
        && replay_is_mate(parent, script_of((uint32_t)s->birth->args[0]));
}

/* ------------------------------------------------------------------ calls that make, or wait for, one */

static bool asks_for(const struct event *e, int64_t pid)
{
    const struct record *r = e->record;
    return !e->done && (int64_t)(int)r->args[r->call == REX_NR_waitid] == pid;
}

static bool makes_process(const struct event *e, int64_t any)
{
    (void)any;
    struct script *made = e->done || e->record->result < 0 ? NULL : script_named((uint32_t)e->record->result);
    return made && made->birth && !made->is_taken && !(made->birth->args[2] & CLONE_THREAD);
}

/* The task's own is preferred, then the first of its mates. */
static struct event *find(struct task *t, long nr, int64_t pid, bool (*fits)(const struct event *e, int64_t pid))
{
    struct event *best = NULL;
    for (uint32_t i = 0; i < script_total(); i++) {
        struct script *s = script_of(i);
        bool is_own = s == t->script;
        struct event *e = is_own || replay_is_mate(t, s) ? replay_queue(s, nr, call_key(call_of(nr), nr, NULL, 0, t->args)) : NULL;
        while (e && !fits(e, pid))
            e = e->next[0];
        if (e && is_own)
            return e;
        if (e && (!best || e->number < best->number))
            best = e;
    }
    return best;
}

/* NULL: as for any other call. */
struct event *replay_job_event(struct task *t, long nr)
{
    const struct rex_call *c = call_of(nr);
    if (!c || !divides_work(t) || (c->hook != REX_HOOK_FORK && c->hook != REX_HOOK_WAIT))
        return NULL;
    if (c->hook == REX_HOOK_FORK)
        return fork_flags(t) & CLONE_THREAD ? NULL : find(t, nr, 0, makes_process);
    int64_t pid = (int64_t)(int)t->args[nr == REX_NR_waitid];
    bool is_named = pid > 0 && (nr == REX_NR_wait4 || t->args[0] == P_PID);
    return is_named ? find(t, nr, pid, asks_for) : NULL;
}

/* ------------------------------------------------------------------ names */

/* What a process is called as it is born: as the call that makes it says. */
struct script *replay_job_born(struct task *parent, struct task *t, uint64_t flags)
{
    if (flags & CLONE_THREAD || !divides_work(parent) || !parent->matched)
        return NULL;
    parent->matched = find(parent, parent->nr, 0, makes_process);      /* a mate may have had the same in mind */
    struct script *s = parent->matched ? script_named((uint32_t)parent->matched->record->result) : NULL;
    if (!s)
        return NULL;
    t->nameless = parent->vforking;
    t->maker = parent;
    parent->newborn = t;
    return s;
}

/* Whether the first program that a process executed was this, with its arguments. */
static bool has_executed(const struct script *s, const struct bytes *arguments)
{
    size_t i = 0;
    while (i < s->count && !replay_executes(s->event[i]->record))
        i++;
    const struct record *r = i < s->count ? s->event[i]->record : NULL;
    const struct field *f = r ? record_field(r, (uint8_t)(name_args(r->call).path + 1), FIELD_ARGV) : NULL;
    return f && f->length == arguments->used && !memcmp(f->data, arguments->data, arguments->used);
}

/* How many events come before it first tried to execute something. */
static size_t before_exec(const struct script *s)
{
    size_t i = 0;
    for (; i < s->count; i++) {
        const struct rex_call *c = call_of(s->event[i]->record->call);
        if (c && c->hook == REX_HOOK_EXEC)
            break;
    }
    return i;
}

/* Its events up to a place have happened, the others not. */
static void set_place(struct script *s, size_t place)
{
    for (size_t i = 0; i < s->count; i++) {
        s->event[i]->done = i < place;
        replay_requeue(s, s->event[i]);
    }
    s->cursor = 0;
}

static size_t done_in(const struct script *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->count; i++)
        n += s->event[i]->done;
    return n;
}

/* Who has the name, if that is open yet. */
static struct task *nameless(const struct script *s)
{
    for (struct task *t = tasks; t; t = t->next)
        if (t->alive && t->script == s)
            return t->nameless ? t : NULL;
    return NULL;
}

static void rename_job(struct task *t, struct script *to)
{
    struct script *from = t->script;
    struct task *other = to->is_taken ? nameless(to) : NULL;
    size_t others_place = done_in(to);
    from->is_taken = other != NULL;
    set_place(from, other ? others_place : 0);
    if (other)
        other->script = from;
    to->is_taken = true;
    set_place(to, before_exec(to));
    t->script = to;
}

/* Of those that executed the same the first that is left: jobs are begun in the order of their queue. */
static struct script *job_named(struct task *t, const struct bytes *arguments)
{
    struct script *held = NULL;
    for (uint32_t i = 0; i < script_total(); i++) {
        struct script *s = script_of(i);
        bool is_left = s == t->script || !s->is_taken;
        if (!is_job_of(t->maker, s) || !(is_left || nameless(s)) || !has_executed(s, arguments))
            continue;
        if (is_left)
            return s;
        held = held ? held : s;
    }
    return held;
}

/* As a nameless process executes, or tries to. */
void replay_job_executes(struct task *t)
{
    struct bytes arguments = {0};
    if (!t->nameless)
        return;
    mem_strings(t->tid, t->args[name_args(t->nr).path + 1], &arguments);
    struct script *s = job_named(t, &arguments);
    if (s && s != t->script)
        rename_job(t, s);
    t->nameless = false;
    bytes_free(&arguments);
}

/* The event of a call that made a process, now that it has its name. */
struct event *replay_job_made(struct task *t, struct event *e)
{
    struct task *child = t->newborn;
    t->newborn = NULL;
    if (!child || !child->script || (int64_t)child->script->tid == e->record->result)
        return e;
    for (uint32_t i = 0; i < script_total(); i++)
        for (struct event *other = replay_queue(script_of(i), e->record->call, e->key); other; other = other->next[0])
            if (!other->done && other->record->result == (int64_t)child->script->tid)
                return other;
    return e;
}

/* Replay: the log's equal events, in queues.
 *
 * Events of one task that are equal in call and key stand in a queue, in their order.  Which of them a call takes,
 * replay/match_rules.c says. */
#include "base/base.h"
#include "callstack/callstack.h"
#include "log/log.h"
#include "replay/index/index.h"
#include "replay/match/match.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <time.h>

/* The caller, or where the answer goes. */
uint64_t place_of(long nr, const uint64_t *args)
{
    return is_clock(nr) && is_caller_by_tables(args[5]) ? args[5] : args[nr != REX_NR_gettimeofday];
}

void replay_match_start(void)
{
    queues_grow();
    for (uint32_t i = 0; i < task_log_total(); i++) {
        struct task_log *s = task_log_of(i);
        for (size_t k = 0; k < s->count; k++) {
            const struct record *r = s->event[k]->record;
            queue_add(s->event[k], queue_id(s, r->call, s->event[k]->key, 0), PLAIN);
            if (is_timed(r->call) && place_of(r->call, r->args))
                queue_add(s->event[k], queue_id(s, r->call, s->event[k]->key, place_of(r->call, r->args)), EXACT);
        }
    }
}

/* The first event left that is equal in call and key; others follow by next[0]. */
struct event *replay_queue(const struct task_log *s, long nr, uint64_t key)
{
    struct event *e = queue_left(queue_at(queue_id(s, nr, key, 0)), PLAIN);
    while (e && replay_is_taken(NULL, e))
        e = e->next[PLAIN];
    return e;
}

void replay_requeue(const struct task_log *s, const struct event *e)
{
    const struct record *r = e->record;
    struct queue *q = queue_at(queue_id(s, r->call, e->key, 0));
    q->head = q->first;
    q->latest = q->ahead = NULL;
    if (is_clock(r->call)) {
        q = queue_at(queue_id(s, r->call, e->key, place_of(r->call, r->args)));
        q->head = q->first;
    }
}

/* The first exec of these left: what the log has after it is another program's. */
static const struct event *next_exec(struct task_log *s)
{
    for (; s->execs < s->count; s->execs++) {
        const struct event *e = s->event[s->execs];
        if (replay_executes(e->record) && !e->done)
            return e;
    }
    return NULL;
}

bool replay_is_same_program(struct task_log *s, const struct event *e)
{
    const struct event *exec = next_exec(s);
    return !exec || e->number < exec->number;
}

/* Stacks of threads lie elsewhere, but by whole pages. */
bool replay_is_like_place(const struct task *t, const struct event *e)
{
    enum { IN_PAGE = 4095 };
    return !((e->record->args[1] ^ t->args[1]) & IN_PAGE);
}

struct event *replay_like_place(const struct task *t, struct queue *q)
{
    enum { FAR = 512 };
    struct event *e = queue_left(q, PLAIN);
    for (int i = 0; e && i < FAR; e = e->next[PLAIN], i++)
        if (!replay_is_taken(t, e) && replay_is_like_place(t, e))
            return e;
    return NULL;
}

/* The log has readings of the queue at such a place, though none may be left. */
bool replay_had_like_place(const struct task *t, const struct queue *q, int kind)
{
    enum { FAR = 512 };
    const struct event *e = q->first;
    for (int i = 0; e && i < FAR && !replay_is_like_place(t, e); i++)
        e = e->next[kind];
    return e && replay_is_like_place(t, e);
}

/* The key of a sibling thread's query: a process queries itself by its number, and each has its own. */
uint64_t key_of_sibling(const struct task *t, const struct task_log *s, long nr, uint64_t key)
{
    char own[32];
    const struct rex_call *c = call_of(nr);
    if (!t->path || strncmp(t->path, "/proc/", 6) || s->tgid == t->task_log->tgid || !c || c->key != REX_KEY_PATH)
        return key;
    size_t n = (size_t)snprintf(own, sizeof own, "/proc/%u/", t->task_log->tgid);
    if (strncmp(t->path, own, n))
        return key;
    char *path = text("/proc/%u/%s", s->tgid, t->path + n);
    key = call_key(c, nr, path, t->stream, t->args);
    free(path);
    return key;
}

/* What a thread may do that another did when recorded. */
bool replay_is_shareable(long nr)
{
    const struct rex_call *c = call_of(nr);
    return c && (c->key == REX_KEY_PATH || c->key == REX_KEY_STREAM || nr == REX_NR_getrandom || nr == REX_NR_socket);
}

/* Whether equal calls of its task would be given those of the run first, and then it. */
bool replay_comes_next(const struct task *t, const struct event *e, uint32_t run)
{
    enum { FAR = 256 };
    const struct record *r = e->record;
    if (!has_shared_work(t))
        return true;
    int kind = is_clock(r->call) || (r->call == EVENT_TSC && place_of(r->call, r->args)) ? EXACT : PLAIN;
    const struct event *first = queue_left(queue_at(queue_id(t->task_log, r->call, e->key, kind == EXACT ? place_of(r->call, r->args) : 0)), kind);
    for (int i = 0; i < FAR && first != e && (first->done || first->run == run); i++)
        first = first->next[kind];
    return first == e;
}

/* The answer given last to an equal call, else one that another thread of the process has. */
struct event *replay_equal_answer(struct task *t, long nr, uint64_t key)
{
    struct queue *q = queue_at(queue_id(t->task_log, nr, key, 0));
    struct event *left = queue_left(q, PLAIN), *e = is_timed(nr) ? q->latest : q->last;
    for (uint32_t i = 0; !e && has_shared_work(t) && nr != REX_NR_gettid && i < task_log_total(); i++)
        if (replay_is_sibling(t, task_log_of(i))) {
            q = queue_at(queue_id(task_log_of(i), nr, key_of_sibling(t, task_log_of(i), nr, key), 0));
            left = queue_left(q, PLAIN);
            e = left && replay_is_same_program(task_log_of(i), left) ? left : q->last;
        }
    return e;
}

static bool same_process(const struct task_log *s, const struct event *e)
{
    const struct task_log *other = task_log_of(e->record->task);
    return other == s || (s->tgid && other->tgid == s->tgid);
}

/* Threads may go on for a short time while another ends the process. */
static bool ends_by_others(const struct task_log *s)
{
    for (size_t i = s->exit->number; i-- > 0; )
        if (events[i].record->call == REX_NR_exit_group && same_process(s, &events[i]))
            return true;
    for (size_t i = s->exit->number + 1; i < event_count; i++)
        if (same_process(s, &events[i]) && events[i].record->call != EVENT_EXIT)
            return replay_executes(events[i].record);
    return false;
}

/* Clocks are read as often as it takes. */
static bool has_only_readings(struct task_log *s)
{
    size_t i = s->cursor > s->readings_to ? s->cursor : s->readings_to;
    while (i < s->count && (s->event[i]->done || is_timed(s->event[i]->record->call)))
        i++;
    s->readings_to = i;
    return i == s->count;
}

/* Whether the thread's log may end because its process ended, or executed another program: then it did not reach
 * its present call.  Threads that ended just before look the same. */
bool replay_was_cut_off(struct task *t)
{
    struct task_log *s = t->task_log;
    if (!s || !s->exit || !has_shared_work(t))
        return false;
    if (!s->end)
        s->end = ends_by_others(s) ? END_BY_OTHERS : END_BY_ITSELF;
    return s->end == END_BY_OTHERS && has_only_readings(s);
}

/* An answer of the log to such a call of any of the process's threads, given already or not. */
const struct event *replay_find(struct task *t, long nr, uint64_t key, event_fits *fits, const void *what)
{
    for (uint32_t i = 0; i < task_log_total(); i++)
        for (struct event *e = replay_is_sibling(t, task_log_of(i)) ? queue_at(queue_id(task_log_of(i), nr, key, 0))->first : NULL;
             e; e = e->next[PLAIN])
            if (fits(e, what))
                return e;
    return NULL;
}

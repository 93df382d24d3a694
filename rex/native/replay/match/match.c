/* Replay: which event of the log answers a call.
 *
 * Events of one task that are equal in call and key stand in a queue, in their
 * order; a call takes the first that is left.  So threads whose timing differs
 * still find their answers. */
#include "base/base.h"
#include "callstack/callstack.h"
#include "cpu/cpu.h"
#include "log/log.h"
#include "log/repeats.h"
#include "mode/mode.h"
#include "replay/clock/clock.h"
#include "replay/files/files.h"
#include "replay/index/index.h"
#include "replay/match/internal.h"
#include "replay/match/match.h"
#include "replay/order/order.h"
#include "replay/tasks/tasks.h"
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
    replay_clock_start();
}

static bool signals_own(const struct task *t, long nr)
{
    return nr == REX_NR_kill && (uint32_t)t->args[0] == t->task_log->tgid;
}

static bool waits_for_child(long nr)
{
    const struct rex_call *c = call_of(nr);
    return c && c->hook == REX_HOOK_WAIT;
}

/* Of random bytes, how many, of a socket its kind, of a signal to its own process which, of a limit which, of a wait for which child,
 * of a file whether it is there: a query of one part of a program does not answer that of another. */
static bool is_alike(struct task *t, const struct event *e)
{
    const uint64_t *args = e->record->args;
    if (!t || !has_shared_work(t))
        return true;
    return e->record->call == REX_NR_getrandom ? args[1] == t->args[1] && !replay_group_is_past(t, e)
        : e->record->call == REX_NR_prlimit64 ? args[1] == t->args[1] && !args[2] == !t->args[2]
        : waits_for_child(e->record->call) ? replay_waits_alike(t, e)
        : e->record->call == REX_NR_socket ? args[0] == t->args[0] && args[1] == t->args[1]
        : e->record->call == REX_NR_kill && signals_own(t, e->record->call) ? args[0] == t->args[0] && args[1] == t->args[1]
        : e->record->call != t->nr || replay_is_as_now(t, e);
}

struct event *match_in(struct task *t, const struct task_log *s, long nr, uint64_t key)
{
    struct event *e = queue_left(queue_at(queue_id(s, nr, key, 0)), PLAIN);
    while (e && (replay_is_taken(t, e) || !is_alike(t, e)))
        e = e->next[PLAIN];
    return e;
}

/* The first event left that is equal in call and key; others follow by next[0]. */
struct event *replay_queue(const struct task_log *s, long nr, uint64_t key)
{
    return match_in(NULL, s, nr, key);
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
        replay_clock_requeue(s, e);
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

static bool is_of_sibling(const struct task *t, const struct task_log *s)
{
    return s != t->task_log && replay_is_sibling(t, s);
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

/* A sibling thread's clock reading at such a place. */
static struct event *match_like_place(const struct task *t, long nr, uint64_t key)
{
    struct event *best = NULL;
    for (uint32_t i = 0; i < task_log_total(); i++) {
        struct event *e = is_of_sibling(t, task_log_of(i)) ? replay_like_place(t, queue_at(queue_id(task_log_of(i), nr, key, 0))) : NULL;
        if (e && replay_is_same_program(task_log_of(i), e) && (!best || e->number < best->number))
            best = e;
    }
    return best;
}

static bool is_before(const struct event *e, const struct event *other)
{
    return is_clock(e->record->call) ? clock_of(e->record) < clock_of(other->record) : e->number < other->number;
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

static bool had_like_place(const struct task *t, long nr, uint64_t key)
{
    for (uint32_t i = 0; i < task_log_total(); i++)
        if (replay_is_sibling(t, task_log_of(i)) && replay_had_like_place(t, queue_at(queue_id(task_log_of(i), nr, key, 0)), PLAIN))
            return true;
    return false;
}

/* The key of a sibling thread's query: a process queries itself by its number, and each has its own. */
static uint64_t key_of_sibling(const struct task *t, const struct task_log *s, long nr, uint64_t key)
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

/* Threads share work: what one did when recorded, another may do now.  A runtime whose threads wait once more reads the
 * clock where it did before, and takes none of a sibling thread's readings at another place. */
struct event *match_sibling(struct task *t, long nr, uint64_t key)
{
    struct event *best = NULL, *e;
    if (is_clock(nr) && ((best = match_like_place(t, nr, key)) || had_like_place(t, nr, key)))
        return best;
    for (uint32_t i = 0; i < task_log_total(); i++)
        if (is_of_sibling(t, task_log_of(i)) && !replay_is_drawn_by_first(t, task_log_of(i), nr, key)
            && (e = match_in(t, task_log_of(i), nr, key_of_sibling(t, task_log_of(i), nr, key))) && replay_is_same_program(task_log_of(i), e)
            && (!best || is_before(e, best)))
            best = e;
    return best;
}

/* A query of one part of a program is not one of another part, if their answers lie at different places of the stack. */
static bool is_of_other_part(const struct task *t, const struct event *next)
{
    enum { STACK = 8 << 20, IN_PAGE = 4095 };
    return next && t->nr == REX_NR_gettimeofday && t->args[0] - t->regs.rsp < STACK && (t->args[0] ^ next->record->args[0]) & IN_PAGE;
}

/* Runtimes that poll read the time of day and the processor's counter at each pass.  What a process
 * read of the counter before its first thread, the log has without a place. */
struct event *match_place(struct task *t, long nr, uint64_t key)
{
    struct event *next = match_in(t, t->task_log, nr, key), *near;
    if (nr == REX_NR_gettimeofday)
        return queues_near(t->task_log, key, t->args[0], &near) ? near : is_of_other_part(t, next) ? NULL : next;
    struct queue *q = queue_at(queue_id(t->task_log, nr, key, tsc_caller(t)));
    return q->id && !(next && !place_of(nr, next->record->args)) ? queue_left(q, EXACT) : next;
}

/* What a thread may do that another did when recorded. */
bool replay_is_shareable(long nr)
{
    const struct rex_call *c = call_of(nr);
    return c && (c->key == REX_KEY_PATH || c->key == REX_KEY_STREAM || nr == REX_NR_getrandom || nr == REX_NR_socket);
}

bool is_shared_work(struct task *t, long nr)
{
    const struct rex_call *c = call_of(nr);
    bool is_time = c && is_clock(nr) && t->args[0] == CLOCK_REALTIME;
    return replay_is_shareable(nr) || signals_own(t, nr) || (is_time && !replay_knows_caller(t, call_key(c, nr, NULL, 0, t->args)));
}

/* Threads race for the numbers of descriptors, not for the order in which one of them queries its own. */
struct event *match_nameless(struct task *t, long nr)
{
    enum { FAR = 4096 };
    const struct task_log *s = t->task_log;
    for (size_t i = s->cursor; i < s->count && i < s->cursor + FAR; i++) {
        struct event *e = s->event[i];
        const struct field *name = record_field(e->record, 1, FIELD_IN);
        if (e->record->call == nr && name && !name->length && !replay_is_taken(t, e))
            return e;
    }
    return NULL;
}

/* What comes over a connection comes in one order, whichever thread takes it. */
struct event *match_arrived(struct task *t, struct event *e, long nr, uint64_t key)
{
    struct event *siblings = e && pipe_takes(nr) && has_shared_work(t) && replay_on_connection(t->stream) ? match_sibling(t, nr, key) : NULL;
    return siblings && is_before(siblings, e) ? siblings : e;
}

/* A runtime whose functions only frame pointers show moves what it runs from thread to thread (Go): the log's events of a file
 * are taken in their order, by any thread. */
struct event *match_moved(struct task *t, struct event *own, long nr, uint64_t key)
{
    const struct rex_call *c = call_of(nr);
    bool moves = c && c->key == REX_KEY_PATH && own && has_shared_work(t) && is_by_pointers(t);
    struct event *siblings = moves ? match_sibling(t, nr, key) : NULL;
    return siblings && siblings->number < own->number ? siblings : own;
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
static struct event *last_answer(struct task *t, long nr, uint64_t key)
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

/* The last in the log that is as things are now. */
static struct event *alike_answer(struct task *t, long nr, uint64_t key)
{
    struct event *best = NULL;
    for (uint32_t i = 0; i < task_log_total(); i++) {
        struct event *e = replay_is_sibling(t, task_log_of(i)) ? queue_at(queue_id(task_log_of(i), nr, key, 0))->first : NULL;
        for (; e; e = e->next[PLAIN])
            best = is_alike(t, e) && (!best || best->number < e->number) ? e : best;
    }
    return best;
}

struct event *replay_last_answer(struct task *t, long nr, uint64_t key)
{
    struct event *e = last_answer(t, nr, key);
    return e && !is_alike(t, e) ? alike_answer(t, nr, key) : e;
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

/* Replay: which of the log's equal events answers a call.
 *
 * Events of one task that are equal in call and key stand in a queue, in their order.  Among threads, a call also takes those of
 * its siblings, and only those that fit what there is now. */
#include "base/base.h"
#include "callstack/callstack.h"
#include "cpu/cpu.h"
#include "log/log.h"
#include "replay/clock/clock.h"
#include "replay/files/files.h"
#include "replay/index/index.h"
#include "replay/match/match.h"
#include "replay/order/order.h"
#include "replay/replay.h"
#include "replay/tasks/tasks.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <time.h>

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
    if (!has_shared_work(t))
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

static bool is_of_sibling(const struct task *t, const struct task_log *s)
{
    return s != t->task_log && replay_is_sibling(t, s);
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

static bool had_like_place(const struct task *t, long nr, uint64_t key)
{
    for (uint32_t i = 0; i < task_log_total(); i++)
        if (replay_is_sibling(t, task_log_of(i)) && replay_had_like_place(t, queue_at(queue_id(task_log_of(i), nr, key, 0)), PLAIN))
            return true;
    return false;
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
    struct event *e = replay_equal_answer(t, nr, key);
    return e && !is_alike(t, e) ? alike_answer(t, nr, key) : e;
}

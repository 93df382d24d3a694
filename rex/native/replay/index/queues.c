/* Replay: the queues of equal events. */
#include "base/base.h"
#include "replay/index/index.h"
#include "syscalls/syscalls.h"

static struct queue *queues;
static size_t queue_slots, queues_used;

uint64_t queue_id(const struct task_log *s, long nr, uint64_t key, uint64_t exact)
{
    uint64_t words[4] = {s->index, (uint64_t)nr, key, exact};
    return hash_bytes(words, sizeof words, 0) | 1;
}

struct queue *queue_at(uint64_t id)
{
    size_t i = id & (queue_slots - 1);
    while (queues[i].id && queues[i].id != id)
        i = (i + 1) & (queue_slots - 1);
    return &queues[i];
}

void queues_grow(void)
{
    struct queue *old = queues;
    size_t n = queue_slots;
    if (2 * (queues_used + 1) <= queue_slots)
        return;
    queue_slots = n ? 2 * n : 1024;
    queues = zalloc(queue_slots * sizeof *queues);
    for (size_t i = 0; i < n; i++)
        if (old[i].id)
            *queue_at(old[i].id) = old[i];
    free(old);
}

void queue_add(struct event *e, uint64_t id, int kind)
{
    queues_grow();
    struct queue *q = queue_at(id);
    queues_used += !q->id;
    q->id = id;
    if (q->tail)
        q->tail->next[kind] = e;
    else
        q->first = q->head = e;
    if (!q->head)
        q->head = e;
    q->tail = e;
    q->count++;
}

/* The first event left of a queue; q->last is the last that was taken. */
struct event *queue_left(struct queue *q, int kind)
{
    while (q->head && q->head->done) {
        q->last = q->head;
        q->head = q->head->next[kind];
    }
    return q->head;
}

/* The thread is past its queries before that. */
static uint32_t last_side_effect(const struct task_log *s)
{
    uint32_t did = s->did ? s->did->number : 0, said = s->said ? s->said->number : 0;
    return did > said ? did : said;
}

/* The first unused event that the thread has not passed, s being its task_log: its queries before its last side effect are over. */
struct event *queue_left_since_effect(const struct task_log *s, struct queue *q)
{
    uint32_t after = last_side_effect(s);
    struct event *e = queue_left(q, EXACT);
    for (; e && e->number < after; e = queue_left(q, EXACT))
        replay_done(e);
    return e;
}

/* A function that reads the time of day has another frame once a runtime has compiled it. */
bool queues_near(const struct task_log *s, uint64_t key, uint64_t place, struct event **best)
{
    enum { NEAR = 256 };
    bool any = false;
    *best = NULL;
    for (uint64_t i = 0; i <= 2 * NEAR; i += sizeof place) {      /* places are modulo 2^64 */
        uint64_t at = place - NEAR + i;
        struct queue *q = queue_at(queue_id(s, REX_NR_gettimeofday, key, at));
        struct event *e = q->id ? queue_left_since_effect(s, q) : NULL;
        any |= q->id != 0;
        *best = e && (!*best || e->number < (*best)->number) ? e : *best;
    }
    return any;
}

/* Replay: the queues of equal events. */
#include "engine.h"
#include "queues.h"

static struct queue *queues;
static size_t queue_slots, queues_used;

uint64_t queue_id(const struct script *s, long nr, uint64_t key, uint64_t exact)
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

/* A function that asks for the time of day has another frame once a runtime has compiled it.  What it asked before the thread's
 * last deed is over. */
bool queues_near(const struct script *s, uint64_t key, uint64_t place, struct event **best)
{
    uint32_t after = replay_last_deed(s);
    enum { NEAR = 256 };
    bool any = false;
    *best = NULL;
    for (uint64_t at = place - NEAR; at <= place + NEAR; at += sizeof at) {
        struct queue *q = queue_at(queue_id(s, REX_NR_gettimeofday, key, at));
        struct event *e = q->id ? queue_left(q, EXACT) : NULL;
        for (; e && e->number < after; e = queue_left(q, EXACT))
            replay_done(e);
        any |= q->id != 0;
        *best = e && (!*best || e->number < (*best)->number) ? e : *best;
    }
    return any;
}

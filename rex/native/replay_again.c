/* Replay: files that the kernel makes up and that are opened more often than when recorded. */
#include "engine.h"
#include "queues.h"

/* Idle: who opens such a file now and then while others wait in vain does not move the replay. */
static struct event *again(const struct event *e, uint32_t stream)
{
    struct event *copy = zalloc(sizeof *copy);
    struct record *r = zalloc(e->record->size);
    memcpy(r, e->record, e->record->size);
    r->stream = stream;
    *copy = (struct event){.record = r, .number = e->number, .key = call_key(call_of(r->call), r->call, NULL, stream, r->args), .idle = true};
    return copy;
}

/* A file that the kernel makes up is opened more often than when recorded: it has again what it had, under
 * another name, since a mate may be reading what it had.  The answer to the open; opened itself if it is no such file. */
struct event *replay_again(struct task *t, struct event *opened)
{
    enum { FIRST = 1 << 25 };            /* the log has none of these */
    static const long calls[] = {REX_NR_read, REX_NR_pread64, REX_NR_readv, REX_NR_preadv, REX_NR_lseek};
    static uint32_t streams;
    const struct record *r = opened->record;
    if (replay_kind_of(r) != S_IFREG || !r->stream)
        return opened;
    uint32_t stream = FIRST + streams++;
    for (uint32_t i = 0; i < script_total(); i++)
        for (size_t k = 0; replay_is_mate(t, script_of(i)) && k < sizeof calls / sizeof *calls; k++) {
            struct queue *q = queue_at(queue_id(script_of(i), calls[k], call_key(call_of(calls[k]), calls[k], NULL, r->stream, r->args), 0));
            for (struct event *e = q->first; e; e = e->next[PLAIN]) {
                struct event *copy = again(e, stream);
                queue_add(copy, queue_id(t->script, calls[k], copy->key, 0), PLAIN);
            }
        }
    return again(opened, stream);
}

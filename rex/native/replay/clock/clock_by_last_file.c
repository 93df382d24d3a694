/* Replay: which reading of the log answers a clock, by what was done before.
 *
 * What a thread notes of a file has the time of that file, whichever thread comes to it. */
#include "base/base.h"
#include "replay/clock/clock.h"
#include "replay/clock/internal.h"
#include "replay/index/index.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

enum { RECENT = 64 };
static struct { uint32_t tgid; uint64_t did; } recent[RECENT];
static unsigned recent_count;

uint64_t replay_after_id(uint64_t caller_id, uint64_t did)
{
    uint64_t words[2] = {caller_id, did};
    return hash_bytes(words, sizeof words, 2) | 1;
}

/* A call on a path, by its key. */
void replay_did(struct task *t, uint64_t key)
{
    clock_state(t)->did = key;
    recent[recent_count % RECENT].tgid = t->task_log->tgid;
    recent[recent_count++ % RECENT].did = key;
}

void replay_did_all(struct task *t)
{
    for (unsigned i = 0; clock_state(t)->did && i < RECENT; i++)
        if (recent[i].tgid == t->task_log->tgid && recent[i].did == clock_state(t)->did)
            recent[i].did = 0;
    clock_state(t)->did = 0;
}

static bool did_any_last(const struct task *t, uint64_t did)
{
    for (const struct task *other = tasks; other; other = other->next)
        if (other->alive && other->leader == t->leader && clock_state(other)->did == did)
            return true;
    return false;
}

/* What the log has after this; or after what another thread has just done, which has gone on with something else: a
 * runtime moves what it runs from thread to thread. */
struct event *replay_after(struct task *t, uint64_t caller_id)
{
    struct event *e = clock_state(t)->did ? queue_left(queue_at(replay_after_id(caller_id, clock_state(t)->did)), AFTER) : NULL;
    for (unsigned i = 1; !e && i <= RECENT && i <= recent_count; i++) {
        uint64_t did = recent[(recent_count - i) % RECENT].did;
        if (recent[(recent_count - i) % RECENT].tgid == t->task_log->tgid && !did_any_last(t, did))
            e = queue_left(queue_at(replay_after_id(caller_id, did)), AFTER);
    }
    return e;
}

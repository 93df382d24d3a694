/* Replay: files that the kernel makes up and that are opened more often than when recorded. */
#include "base/base.h"
#include "log/log.h"
#include "replay/index/index.h"
#include "replay/match/match.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

/* Idle: a thread that opens such a file now and then, while others wait for what never comes, does not move the replay. */
static struct event *again(const struct event *e, uint32_t stream)
{
    struct event *copy = zalloc(sizeof *copy);
    struct record *r = zalloc(e->record->size);
    memcpy(r, e->record, e->record->size);
    r->stream = stream;
    *copy = (struct event){.record = r, .number = e->number, .key = call_key(call_of(r->call), r->call, NULL, stream, r->args), .idle = true};
    return copy;
}

/* Copies a sibling thread's events of this call on the file that r opened. */
static void copy_answers(struct task *t, const struct task_log *sibling, long nr, const struct record *r, uint32_t stream)
{
    struct queue *q = queue_at(queue_id(sibling, nr, call_key(call_of(nr), nr, NULL, r->stream, r->args), 0));
    for (struct event *e = q->first; e; e = e->next[PLAIN]) {
        struct event *copy = again(e, stream);
        queue_add(copy, queue_id(t->task_log, nr, copy->key, 0), PLAIN);
    }
}

/* A file that the kernel generates is opened more often than when recorded: it has its former content again, under
 * another name, since a sibling thread may be reading that.  The answer to the open; opened itself if it is no such file. */
struct event *replay_again(struct task *t, struct event *opened)
{
    enum { FIRST = 1 << 25 };            /* the log has none of these */
    static uint32_t streams;
    const struct record *r = opened->record;
    if (replay_kind_of(r) != S_IFREG || !r->stream)
        return opened;
    uint32_t stream = FIRST + streams++;
    for (uint32_t i = 0; i < task_log_total(); i++)
        for (long nr = 0; replay_is_sibling(t, task_log_of(i)) && nr < REX_CALL_COUNT; nr++)
            if (op_of(nr) == REX_OP_READ || op_of(nr) == REX_OP_PREAD || nr == REX_NR_lseek)
                copy_answers(t, task_log_of(i), nr, r, stream);
    return again(opened, stream);
}

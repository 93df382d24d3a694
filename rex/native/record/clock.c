/* Record: what identifies a clock reading for a replay.  It is kept in the place of arguments that the call does not have:
 * the caller is the last (see callstack/callstack.c), and before it the purpose of the previous reading. */
#include "base/base.h"
#include "cpu/cpu.h"
#include "log/log.h"
#include "mode/mode.h"
#include "record/internal.h"
#include "record/record.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"

#include <linux/futex.h>
#include <time.h>

void record_reading(struct task *t, struct record *r)
{
    r->args[4] = record_state(t)->waited_until;
    record_state(t)->waited_until = false;
}

/* A call begins: maybe a wait until a point in time, which the thread has reckoned from what it read last. */
void record_wait(struct task *t)
{
    record_state(t)->waited_until |= t->nr == REX_NR_clock_nanosleep ? t->args[1] & TIMER_ABSTIME
        : t->nr == REX_NR_futex && (t->args[1] & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET && t->args[3];
}

void record_counter(struct task *t, bool with_aux, uint64_t *value, uint32_t *aux)
{
    static struct bytes out;
    *value = tsc_read(with_aux, aux);
    log_begin(&out, EVENT_TSC, t->index);
    struct record *r = (struct record *)out.data;
    r->result = (int64_t)*value;
    r->args[0] = *aux;
    if (t->leader->threaded)
        r->args[1] = tsc_caller(t);                /* to find the answer by in a replay */
    log_end(&out);
    if (!is_serialized())
        record_release(t);                        /* a replay finds this place, too */
}

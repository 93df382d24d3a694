/* Seccomp filters for external descriptors above 2, which a program has opened as it ran. */
#include "base/base.h"
#include "engine/engine.h"
#include "engine/internal.h"
#include "fastpath/area.h"
#include "fastpath/fastpath.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <linux/filter.h>
#include <linux/seccomp.h>

enum { FEW = 3, REFUSED = 100, SOON_CLOSED = 32 };

/* Those that it has now, or every one. */
static uint64_t due(const struct task *t)
{
    uint64_t fds = files_external(t->files) & ~7ULL;
    return t->watches == FEW ? EVERY_DESCRIPTOR : fds;
}

static void watched(struct task *t, int64_t result)
{
    t->space->filter_due = false;
    t->files->waited = 0;
    for (struct task *other = tasks; other; other = other->next)
        if (other->leader == t->leader) {
            other->watched |= result ? 0 : engine_state(t)->watch_due;
            other->watches = result ? REFUSED : t->watches + 1;
        }
}

/* Else all calls of the process stop.  A filter is for good, so that it is not made for what is open for a
 * few calls only, as files of /proc are; after a few, one for all descriptors. */
bool filter_watch(struct task *t)
{
    struct { unsigned short length, zero[3]; uint64_t code; } program = {0, {0}, FAST_FILTER + sizeof program};
    const uint64_t args[6] = {SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC | AT_FULL_SPEED, FAST_FILTER, 0, 0, 0};
    if (!t->files->high || t->watches == REFUSED || t->nr < 0 || t->nr == REX_NR_restart_syscall || t->space->filter_due
        || filter_watches(t) || t->files->waited++ < SOON_CLOSED)
        return false;
    if (!fast_area(t)) {
        t->watches = t->then ? t->watches : REFUSED;
        return t->then != NULL;
    }
    engine_state(t)->watch_due = due(t);        /* others may open more before it is in force */
    struct sock_fprog built = filter_build(engine_state(t)->watch_due);
    size_t size = built.len * sizeof *built.filter;
    program.length = built.len;
    if (size > FAST_RINGS - FAST_FILTER - sizeof program
        || !mem_write(t->tid, FAST_FILTER, &program, sizeof program)
        || !mem_write(t->tid, program.code, built.filter, size))
        return false;
    t->space->filter_due = true;
    insert_call(t, REX_NR_seccomp, args, watched);
    return true;
}

/* The fast path: files that a process has made itself.  Their content needs no archiving before they change, see fastpath/stub_change.h. */
#include "base/base.h"
#include "fastpath/area.h"
#include "fastpath/fastpath.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <sys/stat.h>

/* A regular file that the process has made: what it changes of it by a descriptor need not stop. */
bool fast_know_made(struct task *t, const struct stat *st)
{
    struct made made = {st->st_dev, st->st_ino};
    return t->ring && mem_write(t->tid, t->ring + offsetof(struct ring, made) + st->st_ino % MADE_SLOTS * sizeof made, &made, sizeof made);
}

void fast_forget_made(struct task *t)
{
    static const struct made none[MADE_SLOTS];
    if (t->ring)
        mem_write(t->tid, t->ring + offsetof(struct ring, made), none, sizeof none);
}

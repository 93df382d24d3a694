/* The names of directories that do not lead to what is hidden: the stub may answer queries there.
 * It looks for their hashes in its ring, see fastpath/stub_hidden.h. */
#include "base/base.h"
#include "fastpath/area.h"
#include "fastpath/fastpath.h"
#include "fastpath/internal.h"
#include "tracee/hidden.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <linux/kcmp.h>
#include <sys/syscall.h>

static uint64_t common[CLEAN_SLOTS];     /* names that mean the same to every process */

/* What a new ring knows. */
void names_common(uint64_t *clean)
{
    memcpy(clean, common, sizeof common);
}

/* is_common: it means the same to every process. */
void fast_know_directory(struct task *t, const char *path, uint32_t n, bool is_common)
{
    uint64_t hash = clean_hash(hidden_all()->changes, path, n);
    if (is_common)
        common[hash % CLEAN_SLOTS] = hash;
    if (!t->ring)
        return;
    hash = clean_hash(t->space->fast->changes, path, n);
    mem_write(t->tid, t->ring + offsetof(struct ring, clean) + hash % CLEAN_SLOTS * sizeof hash, &hash, sizeof hash);
}

static void count_change(struct task *t, uint64_t changes)
{
    t->space->fast->changes = changes;
    mem_write(t->tid, FAST_HIDDEN + offsetof(struct hidden_all, changes), &changes, sizeof changes);
}

/* A link was made, or a directory was moved: what the stub knows of directories may not be so any more. */
void fast_names_change(void)
{
    hidden_names_change();
    for (struct task *t = tasks; t; t = t->next)
        if (t->alive && fast_is_mapped(t))
            count_change(t, hidden_all()->changes);
}

/* A task has moved to another directory, and who shares that with it: relative names are others. */
void fast_directory_changes(struct task *moved)
{
    static uint64_t moves;
    moves++;
    for (struct task *t = tasks; t; t = t->next)
        if (t->alive && fast_is_mapped(t) && (t->space == moved->space || !syscall(SYS_kcmp, moved->tid, t->tid, KCMP_FS, 0, 0)))
            count_change(t, 1ULL << 63 | moves);
}

/* Replay: processes that share memory by a name of it (a semaphore, a segment below /dev/shm, one of System V's by its
 * number), though none is a fork of another: they are a memory group from when they open it, see replay/tasks/memory_groups.c. */
#include "base/base.h"
#include "log/log.h"
#include "mode/mode.h"
#include "replay/index/index.h"
#include "replay/tasks/internal.h"
#include "replay/tasks/tasks.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <fcntl.h>
#include <sched.h>

static struct table users;               /* by name: the first process that has it, or `many` */
static struct task_log many;
static bool *is_user;                    /* by task: it belongs to a process that shares some */

bool replay_is_memory(const char *path)
{
    return path && !strncmp(path, "/dev/shm/", 9);
}

static bool opens_to_write(const struct record *r)
{
    return call_of(r->call) && call_of(r->call)->hook == REX_HOOK_OPEN && r->result >= 0 && (flags_in(r) & O_ACCMODE) == O_RDWR;
}

static bool names(const struct record *r)
{
    return r->result >= 0 && (op_of(r->call) == REX_OP_LINK || op_of(r->call) == REX_OP_RENAME);
}

static bool attaches(const struct record *r)
{
    return r->call == REX_NR_shmat && r->result >= 0;
}

/* A name that is removed already, and is opened through a descriptor that another process has of it, counts as the name that it had. */
static char *path_of(const struct field *f)
{
    char *path = f->type == FIELD_RESOLVED ? strndup((const char *)f->data, f->length) : NULL;
    if (path && replay_is_deleted(path))
        *strrchr(path, ' ') = 0;
    return path;
}

static void use(const char *name, const struct record *r)
{
    struct task_log **user = (struct task_log **)table_at(&users, name);
    *user = *user && *user != task_log_leader(r->task) ? &many : task_log_leader(r->task);
}

static void find_user(const char *name, const struct record *r)
{
    if (table_get(&users, name) == &many)
        is_user[task_log_leader(r->task)->index] = true;
}

/* The names of memory that an event of the log takes, or gives. */
static void each_name(const struct record *r, void (*see)(const char *name, const struct record *r))
{
    if (attaches(r)) {
        char *name = text("%u", (unsigned)r->args[0]);
        see(name, r);
        free(name);
    } else if (names(r) || opens_to_write(r))
        for (const struct field *f = field_next(r, NULL); f; f = field_next(r, f)) {
            char *path = path_of(f);
            if (replay_is_memory(path))
                see(path, r);
            free(path);
        }
}

void replay_group_files_start(void)
{
    is_user = zalloc(task_log_total() + 1);
    for (int pass = 0; pass < 2 && !is_serialized(); pass++)
        for (size_t i = 0; i < event_count; i++)
            each_name(events[i].record, pass ? find_user : use);
}

/* Of a process that has opened one, all threads, and what is forked from it and executes nothing. */
static bool belongs(const struct task_log *s, const struct task_log *leader)
{
    for (uint32_t i = s->index; ; ) {
        const struct task_log *p = task_log_leader(i);
        if (p == leader)
            return true;
        for (size_t k = 0; k < p->count; k++)
            if (replay_executes(p->event[k]->record))
                return false;
        if (!p->birth || p->birth->args[0] >= p->index)
            return false;
        i = (uint32_t)p->birth->args[0];
    }
}

/* A file has been opened, or memory attached by its number. */
void replay_group_opened(struct task *t, const struct record *r)
{
    struct task_log *leader = t->task_log->birth ? task_log_leader(t->task_log->index) : NULL;
    if (!leader || !is_user[leader->index] || shares_memory(t) || !(opens_to_write(r) || attaches(r)))
        return;
    char *path = record_text(r, FIELD_WHOLE, FIELD_RESOLVED);
    bool is_first = attaches(r) || replay_is_memory(path);
    free(path);
    for (uint32_t i = 0; is_first && i < task_log_total(); i++)
        if (belongs(task_log_of(i), leader))
            replay_group_named(task_log_of(i));
    if (is_first)
        regime_shares_memory(t->leader);
}

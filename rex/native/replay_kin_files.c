/* Replay: processes that share memory by a name of it (a semaphore, a segment below /dev/shm), though none
 * is made by fork of another: they are kin from when they open it, see replay_kin.c. */
#include "engine.h"

#include <fcntl.h>
#include <sched.h>

static struct table users;               /* by path: the first process that has it, or `many` */
static struct script many;
static bool *is_user;                    /* by task: it belongs to a process that shares some */

static bool is_memory(const char *path)
{
    return path && !strncmp(path, "/dev/shm/", 9);
}

static void use(const char *path, uint32_t task)
{
    struct script **user = is_memory(path) ? (struct script **)table_at(&users, path) : NULL;
    if (user && *user && *user != script_leader(task))
        *user = &many;
    else if (user)
        *user = script_leader(task);
}

static bool opens_to_write(const struct record *r)
{
    return call_of(r->call) && call_of(r->call)->hook == REX_HOOK_OPEN && r->result >= 0 && (flags_in(r) & O_ACCMODE) == O_RDWR;
}

static bool names(const struct record *r)
{
    return r->result >= 0 && (r->call == REX_NR_link || r->call == REX_NR_linkat || r->call == REX_NR_rename);
}

void replay_kin_files_start(void)
{
    is_user = zalloc(script_total() + 1);
    for (int pass = 0; pass < 2 && !serial_on; pass++)
        for (size_t i = 0; i < event_count; i++) {
            const struct record *r = events[i].record;
            if (!names(r) && !opens_to_write(r))
                continue;
            for (const struct field *f = field_next(r, NULL); f; f = field_next(r, f)) {
                char *path = f->type == FIELD_RESOLVED ? strndup((const char *)f->data, f->length) : NULL;
                if (pass == 0)
                    use(path, r->task);
                else if (is_memory(path) && table_get(&users, path) == &many)
                    is_user[script_leader(r->task)->index] = true;
                free(path);
            }
        }
}

/* Of a process that has opened one, all threads, and what is forked from it and executes nothing. */
static bool belongs(const struct script *s, const struct script *leader)
{
    for (uint32_t i = s->index; ; ) {
        const struct script *p = script_leader(i);
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

/* A file has been opened. */
void replay_kin_opened(struct task *t, const struct record *r)
{
    struct script *leader = t->script->birth ? script_leader(t->script->index) : NULL;
    if (!leader || !is_user[leader->index] || is_kin(t) || !opens_to_write(r))
        return;
    char *path = record_text(r, FIELD_WHOLE, FIELD_RESOLVED);
    bool is_first = is_memory(path);
    free(path);
    for (uint32_t i = 0; is_first && i < script_total(); i++)
        if (belongs(script_of(i), leader))
            replay_kin_named(script_of(i));
    t->leader->kin |= is_first;
}

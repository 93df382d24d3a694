/* Replay of System V IPC, on the replay's own objects, which nobody finds by a key.
 *
 * Numbers, and the answers of calls, are the log's.  Memory is attached for real.  Semaphores are real, so that a waiter goes
 * on when another process lets it; a process takes them after those that had them before when recorded.  A
 * message comes from the log, when it has been sent.  No number of the log ever reaches the kernel. */
#include "base/base.h"
#include "log/log.h"
#include "mode/mode.h"
#include "replay/index/index.h"
#include "replay/ipc/ipc.h"
#include "replay/rules/rules.h"
#include "replay/send/send.h"
#include "replay/tasks/tasks.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <fcntl.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/wait.h>

/* By kind and number as recorded.  `last` of all that took semaphores, `other` of those by another process than that one. */
struct object { int id; bool is_live; void *at; size_t size; struct event *made, *last, *other, **sent; size_t sent_count, sent_head; };
static struct table objects;

static struct object *object_of(long nr, int64_t id)
{
    struct object **o = (struct object **)table_at_file(&objects, ipc_kind(nr), (uint64_t)id);
    return *o ? *o : (*o = zalloc(sizeof **o));
}

/* ------------------------------------------------------------------ what comes before what */

static bool is_by_other(const struct event *a, const struct event *b)
{
    return task_log_leader(a->record->task) != task_log_leader(b->record->task);
}

static void note_operation(struct object *o, struct event *e)
{
    struct event *before = o->last && is_by_other(o->last, e) ? o->last : o->other;
    e->before = before && e->record->args[5] && !is_serialized() ? before : o->made;
    if (!e->record->args[5])
        return;                           /* who lets others go on waits for none, and the log may have it after these */
    if (o->last && is_by_other(o->last, e))
        o->other = o->last;
    o->last = e;
}

static void note(struct event *e)
{
    const struct record *r = e->record;
    struct object *o = object_of(r->call, ipc_gets(r->call) ? r->result : (int)r->args[0]);
    if (ipc_gets(r->call) && r->args[5])
        *o = (struct object){.made = e};
    else if (ipc_operates(r->call))
        note_operation(o, e);
    else if (r->call != REX_NR_msgrcv)
        e->before = o->made;
    if (r->call == REX_NR_msgsnd) {
        o->sent = grow(o->sent, o->sent_count, sizeof *o->sent);
        o->sent[o->sent_count++] = e;
    }
}

/* The first of equal messages that nobody has received. */
static void note_received(struct event *e)
{
    struct object *o = object_of(REX_NR_msgrcv, (int)e->record->args[0]);
    const struct field *got = record_field(e->record, 1, FIELD_OUT);
    while (o->sent_head < o->sent_count && !o->sent[o->sent_head])
        o->sent_head++;
    for (size_t i = o->sent_head; got && i < o->sent_count; i++) {
        const struct field *f = o->sent[i] ? record_field(o->sent[i]->record, 1, FIELD_IN) : NULL;
        if (f && f->length >= got->length && !memcmp(f->data, got->data, got->length)) {
            e->before = o->sent[i];
            o->sent[i] = NULL;
            return;
        }
    }
}

static bool is_ipc(const struct event *e)
{
    return call_of(e->record->call) && call_of(e->record->call)->hook == REX_HOOK_IPC && e->record->result >= 0;
}

void replay_ipc_start(void)
{
    for (size_t i = 0; i < event_count; i++)
        if (is_ipc(&events[i]))
            note(&events[i]);
    for (size_t i = 0; i < event_count; i++)
        if (is_ipc(&events[i]) && events[i].record->call == REX_NR_msgrcv)
            note_received(&events[i]);
}

/* ------------------------------------------------------------------ objects */

enum { ALL_REMOVED = -1 };
static int to_remover = -1;

/* The kernel keeps semaphores until they are removed: by a process that goes on when this one has ended, in whatever way. */
static void remover(int from)
{
    int *ids = NULL, id;
    size_t count = 0;
    setsid();
    dup2(from, 0);
    for (int fd = 1; fd < 1024; fd++)
        close(fd);
    while (read(0, &id, sizeof id) == sizeof id)
        if (id == ALL_REMOVED)
            count = 0;
        else {
            ids = grow(ids, count, sizeof *ids);
            ids[count++] = id;
        }
    while (count)
        semctl(ids[--count], 0, IPC_RMID);
    _exit(0);
}

static void send_to_remover(int id)
{
    int pair[2];
    pid_t pid;
    if (to_remover < 0 && !pipe2(pair, O_CLOEXEC)) {
        to_remover = pair[1];
        if ((pid = fork()) == 0) {
            close(pair[1]);
            if (fork() == 0)              /* it is no child of ours, whose end we would wait for */
                remover(pair[0]);
            _exit(0);
        }
        close(pair[0]);
        waitpid(pid, NULL, 0);
    }
    if (write(to_remover, &id, sizeof id) != sizeof id)
        die("cannot keep note of semaphores: %s", strerror(errno));
}

void replay_ipc_finish(void)
{
    for (size_t i = 0; i < objects.size; i++) {
        const struct object *o = objects.slot[i].key ? objects.slot[i].value : NULL;
        if (o && o->is_live && !o->at)
            semctl(o->id, 0, IPC_RMID);
    }
    if (to_remover >= 0)
        send_to_remover(ALL_REMOVED);
}

/* We have it attached, so that it can be attached by its number though it is removed already: it goes with the last
 * process that has it. */
static void make_memory(struct object *o, size_t size, int flags)
{
    o->id = shmget(IPC_PRIVATE, size, 0600 | (flags & SHM_NORESERVE));
    o->at = o->id >= 0 ? shmat(o->id, NULL, 0) : (void *)-1;
    o->is_live = o->at != (void *)-1;
    o->size = size;
    int problem = errno;
    if (o->id >= 0)
        shmctl(o->id, IPC_RMID, NULL);
    if (!o->is_live)
        die("cannot make shared memory of %zu bytes: %s", size, strerror(problem));
}

static void make(const struct record *r)
{
    struct object *o = object_of(r->call, r->result);
    if (r->call == REX_NR_shmget)
        make_memory(o, r->args[1], (int)r->args[2]);
    else if (r->call == REX_NR_semget) {
        o->id = semget(IPC_PRIVATE, (int)r->args[1], 0600);
        if (o->id < 0)
            die("cannot make semaphores: %s", strerror(errno));
        send_to_remover(o->id);
        o->is_live = true;
    }
}

/* ------------------------------------------------------------------ calls */

/* On the object of the replay. */
static void run(struct task *t, const struct object *o)
{
    struct user_regs_struct r = t->regs;
    r.rdi = (ull)o->id;
    regs_set(t, &r);
    t->want_exit = true;
}

/* What did not have to wait when recorded waits here for as long as it takes.  false: the call comes again. */
static bool wait_for_turn(struct task *t, const struct object *o)
{
    enum { MOST = 500 };                  /* as the kernel has it */
    struct sembuf ops[MOST];
    size_t count = t->args[2], n = count * sizeof *ops;
    if (!scratch_ready(t))
        return false;
    if (count > MOST || !mem_read(t->tid, t->args[1], ops, n))
        return true;
    for (size_t i = 0; i < count; i++)
        ops[i].sem_flg &= ~IPC_NOWAIT;
    change_call(t, REX_NR_semtimedop, (ull)o->id, scratch_put(t, ops, n), count, 0);
    return true;
}

static void answer(struct task *t, struct event *e)
{
    const struct record *r = e->record;
    for (const struct field *f = field_next(r, NULL); f; f = field_next(r, f))
        if (f->type == FIELD_OUT && f->arg < sizeof t->args / sizeof *t->args)
            mem_write(t->tid, t->args[f->arg], f->data, f->length);
    replay_emulate(t, e);
}

/* Memory that another program had made is as it was when it was attached first. */
static void attach(struct task *t, struct object *o, const struct record *r)
{
    const struct field *f = record_field(r, 1, FIELD_OUT);
    if (!o->is_live)
        make_memory(o, r->args[5] ? r->args[5] : 1, 0);
    if (f)
        memcpy(o->at, f->data, f->length < o->size ? f->length : o->size);
    replay_group_opened(t, r);
    run(t, o);
}

void replay_ipc(struct task *t, struct event *e)
{
    const struct record *r = e->record;
    bool is_done = r->result >= 0;
    struct object *o = object_of(t->nr, (int)t->args[0]);
    if (is_done && t->nr == REX_NR_shmat)
        attach(t, o, r);
    else if (is_done && o->is_live && ipc_operates(t->nr))
        wait_for_turn(t, o);
    else if (is_done && o->is_live && ipc_sets(t->nr, t->args))
        run(t, o);
    else {
        if (is_done && ipc_gets(t->nr) && r->args[5])
            make(r);
        if (is_done && t->nr == REX_NR_shmctl && t->args[1] == IPC_RMID && o->size) {
            shmdt(o->at);                 /* whoever has it attached keeps it */
            o->size = 0;
        }
        answer(t, e);
    }
}

/* Semaphores do not begin to wait again by themselves. */
void replay_ipc_exit(struct task *t, struct event *e, int64_t result)
{
    if (result == -EINTR) {
        rewind_call(t);
        return;
    }
    if (result < 0)
        replay_diverged(t, e, "failed here");
    give_result(t, result < 0 || t->nr == REX_NR_shmat ? result : e->record->result);
    replay_done(e);
}

bool replay_ipc_freely(struct task *t)
{
    const struct object *o = object_of(t->nr, (int)t->args[0]);
    if (!o->is_live || !(ipc_operates(t->nr) || ipc_sets(t->nr, t->args) || t->nr == REX_NR_shmat))
        return false;
    run(t, o);
    return true;
}

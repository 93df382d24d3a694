/* Replay: numbers of descriptors, for which threads race: those that waiting threads have, and what had which when recorded.
 *
 * The kernel gives a call that will make a descriptor its number as it begins to wait: others have the next ones, though
 * not in a process that is forked meanwhile.  A wait for a connection that never came is not made here; a
 * descriptor of its own stands for its number. */
#include "base/base.h"
#include "log/log.h"
#include "replay/files/files.h"
#include "replay/files/internal.h"
#include "replay/index/index.h"
#include "replay/peers/peers.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <sys/socket.h>

static uint64_t bit_of(int64_t fd)
{
    return fd > 0 && fd < 64 ? 1ULL << fd : 0;
}

static void taken(struct task *t, int64_t result)
{
    file_state(t)->number = (int)result;
    t->files->reserved |= bit_of(result);
}

/* True: it takes one now, and comes again. */
bool replay_takes_number(struct task *t, const struct rex_call *c)
{
    const uint64_t args[6] = {AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC};
    if (c->hook != REX_HOOK_ACCEPT || file_state(t)->number)
        return false;
    insert_call(t, REX_NR_socket, args, taken);
    return true;
}

/* A signal ended the wait.  A high one is kept, for when it waits again. */
void replay_leaves_number(struct task *t)
{
    uint64_t bit = bit_of(file_state(t)->number);
    t->files->reserved &= ~bit;
    t->files->copies |= bit;
    file_state(t)->number = bit ? 0 : file_state(t)->number;
}

static void dropped(struct task *t, int64_t result)
{
    (void)t;
    (void)result;
}

/* Of those that are left, or that a forked process has copies of; true: it closes one now, and comes again. */
bool replay_drops_copy(struct task *t)
{
    uint64_t *copies = &t->files->copies, fd[6] = {0};
    if (!*copies)
        return false;
    fd[0] = (uint64_t)__builtin_ctzll(*copies);
    *copies &= *copies - 1;
    insert_call(t, REX_NR_close, fd, dropped);
    return true;
}

/* ------------------------------------------------------------------ now and when recorded */

/* Which streams a descriptor of a process was, from which event on. */
struct held { struct { uint32_t event, stream; } *since; size_t count; };
static struct table numbers;

static struct held *held_at(const struct task_log *s, int fd)
{
    struct held **at = (struct held **)table_at_file(&numbers, s->tgid, (uint64_t)fd);
    return *at ? *at : (*at = zalloc(sizeof **at));
}

/* -1: it says none. */
static int number_in(const struct record *r)
{
    const struct rex_call *c = r->stream ? call_of(r->call) : NULL;
    if (!c || c->hook == REX_HOOK_SOCKET || c->hook == REX_HOOK_ACCEPT || c->key == REX_KEY_PATH)
        return c ? (int)r->result : -1;
    return c->key == REX_KEY_STREAM && c->fd_args & 1 ? (int)r->args[0] : -1;
}

static void note_numbers(void)
{
    static size_t looked;
    for (; looked < event_count; looked++) {
        const struct record *r = events[looked].record;
        int fd = number_in(r);
        struct held *h = fd >= 0 ? held_at(task_log_of(r->task), fd) : NULL;
        if (!h || (h->count && h->since[h->count - 1].stream == r->stream))
            continue;
        h->since = grow(h->since, h->count, sizeof *h->since);
        h->since[h->count].event = events[looked].number;
        h->since[h->count++].stream = r->stream;
    }
}

/* In that process, or where it was forked. */
static uint32_t stream_then(const struct task_log *s, uint32_t event, int fd)
{
    const struct held *h = held_at(s, fd);
    for (size_t i = h->count; i-- > 0; )
        if (h->since[i].event <= event)
            return h->since[i].stream;
    s = task_log_leader(s->index);
    return s->birth && s->birth->args[0] < s->index ? stream_then(task_log_of((uint32_t)s->birth->args[0]), event, fd) : 0;
}

/* The number of what had that one at the event; -1: it is not open.  A thread that the log does not have is of its process. */
int replay_number_now(struct task *t, const struct event *e, int fd)
{
    note_numbers();
    const struct task_log *s = t->task_log->birth ? t->task_log : t->leader->task_log;
    uint32_t stream = fd < 0 || !s->birth ? 0 : stream_then(s, e->number, fd);
    if (!stream || peers_played(stream) || files_stream(t->files, fd) == stream)      /* emulated ones are internal here */
        return fd;
    for (int i = 0; i < t->files->count; i++)
        if (t->files->item[i].stream == stream)
            return t->files->item[i].fd;
    return -1;
}

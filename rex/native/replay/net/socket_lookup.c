/* Replay: which socket of the log a call of the replay is about, as it is bound or connected. */
#include "base/base.h"
#include "log/log.h"
#include "replay/index/index.h"
#include "replay/net/internal.h"
#include "replay/peers/peers.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

static bool is_of_process(const struct task *t, const struct event *e)
{
    return e && task_log_of(e->record->task)->tgid == t->task_log->tgid;
}

static bool is_asked(const struct event *e, const struct address *what)
{
    struct address asked = address_of(e ? record_field(e->record, 1, FIELD_IN) : NULL);
    return address_equals(&asked, what);
}

static struct event *bind_of(const struct socket *s)
{
    return s->bind;
}

static struct event *connect_of(const struct socket *s)
{
    bool came_about = s->connect && (s->connect->record->result == 0 || s->connect->record->result == -EINPROGRESS);
    return came_about ? s->connect : NULL;
}

/* The log's of the same thread, else the first that is left in its process. */
static struct socket *first_inside(struct task *t, const struct address *to, struct event *(*of)(const struct socket *s))
{
    struct socket *best = NULL;
    struct socket *s;
    for (uint32_t i = 1; (s = socket_numbered(i)); i++) {
        bool fits = s->is_inside && !s->is_used && is_of_process(t, of(s)) && is_asked(of(s), to);
        if (fits && (!best || (of(s)->record->task == t->task_log->index && of(best)->record->task != t->task_log->index)))
            best = s;
    }
    return best;
}

static struct event *use_first(struct task *t, const struct address *to, struct event *(*of)(const struct socket *s))
{
    struct socket *s = first_inside(t, to, of);
    return s ? s->is_used = true, of(s) : NULL;
}

struct event *peers_bind(struct task *t, const struct address *to)
{
    return use_first(t, to, bind_of);
}

struct event *peers_connect(struct task *t, const struct address *to)
{
    return use_first(t, to, connect_of);
}

/* If the kernel was to choose the port, the address does not show which of several it is: then the first. */
const struct event *peers_outside(struct task *t, const struct address *to, bool is_datagrams)
{
    const struct socket *inside = to && t->nr == REX_NR_bind ? first_inside(t, to, bind_of) : NULL;
    const struct socket *s;
    for (uint32_t i = 1; (s = socket_numbered(i)); i++) {
        struct event *e = t->nr == REX_NR_bind ? s->bind : t->nr == REX_NR_connect ? s->connect : s->listen;
        bool fits = (is_datagrams ? s->is_datagrams : s->is_stream) && (to ? is_asked(e, to) : !s->bind);
        if (fits && !s->is_inside && !s->is_played && is_of_process(t, e) && !e->done)
            return inside && inside->bind->number < e->number ? NULL : e;
    }
    return NULL;
}

/* One that the log has not. */
unsigned peers_new_port(void)
{
    static unsigned last = 20000;
    bool taken = true;
    while (taken) {
        taken = false;
        last++;
        const struct socket *s;
        for (uint32_t i = 1; !taken && (s = socket_numbered(i)); i++) {
            struct address at = socket_bound_at(s), to = socket_remote_of(s);
            taken = address_port(&at) == last || address_port(&to) == last || (s->connect && s->connect->record->args[4] == last);
        }
    }
    return last;
}

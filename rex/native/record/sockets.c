/* Record: between whom a connection is, so that a replay can make again those inside the experiment. */
#include "base/base.h"
#include "log/log.h"
#include "mode/mode.h"
#include "record/internal.h"
#include "record/record.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <netinet/in.h>
#include <sys/socket.h>

static uint64_t port_of(const struct sockaddr_storage *a)
{
    return a->ss_family == AF_INET ? ntohs(((const struct sockaddr_in *)a)->sin_port)
         : a->ss_family == AF_INET6 ? ntohs(((const struct sockaddr_in6 *)a)->sin6_port) : 0;
}

static uint64_t own_port(int fd)
{
    struct sockaddr_storage a = {0};
    socklen_t n = sizeof a;
    return getsockname(fd, (void *)&a, &n) ? 0 : port_of(&a);
}

/* The port at the other end; of local sockets the process. */
static uint64_t caller_of(int fd)
{
    struct sockaddr_storage a = {0};
    struct ucred who = {0};
    socklen_t n = sizeof a, m = sizeof who;
    if (getpeername(fd, (void *)&a, &n) || a.ss_family != AF_UNIX)
        return port_of(&a);
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &m) ? 0 : (uint64_t)who.pid;
}

/* In registers that are no arguments of these calls: 4 the port of an own end, or who calls; 5 the stream of who listens. */
void record_ends(struct task *t, struct record *r, uint32_t listener)
{
    bool accepts = call_of(t->nr)->hook == REX_HOOK_ACCEPT, connects = t->nr == REX_NR_connect;
    if (!accepts && !connects && t->nr != REX_NR_bind)
        return;
    r->args[4] = r->args[5] = 0;
    if (!t->stream || (r->result < 0 && !(connects && r->result == -EINPROGRESS)))
        return;
    int fd = borrow(t, accepts ? (int)r->result : (int)t->args[0]);
    if (fd < 0)
        return;
    r->args[4] = accepts ? caller_of(fd) : own_port(fd);
    r->args[5] = accepts ? listener : 0;
    close(fd);
}

static const struct field *said_in(const struct record *r)
{
    return pipe_gives(r->call) ? record_field(r, r->call == REX_NR_sendmsg ? 1 | PART_DATA : 1, FIELD_IN) : NULL;
}

/* Requests cannot be compared then. */
bool begins_hidden(const struct record *r)
{
    enum { HANDSHAKE = 22, MAJOR = 3, HEADER = 5, CLIENT_HELLO = 1 };
    const struct field *f = r->result > 0 ? said_in(r) : NULL;
    return f && f->length > HEADER && f->data[0] == HANDSHAKE && f->data[1] == MAJOR && f->data[HEADER] == CLIENT_HELLO;
}

/* Many threads send requests over one connection. */
static bool begins_shared(const struct record *r)
{
    static const char preface[] = "PRI * HTTP/2.0\r\n";
    const struct field *f = r->result > 0 ? said_in(r) : NULL;
    return f && f->length >= sizeof preface - 1 && !memcmp(f->data, preface, sizeof preface - 1);
}

/* A replay answers threads by their requests, in any order; here the order must be the same. */
void record_greeting(struct task *t, struct bytes *b)
{
    static bool is_reported;
    struct record *r = (struct record *)b->data;
    if (is_reported || is_serialized() || !t->stream || !t->leader->threaded)
        return;
    r->size = (uint32_t)b->used;
    bool is_hidden = begins_hidden(r);
    if (begins_shared(r) || (is_hidden && record_state(t->leader)->greeter && record_state(t->leader)->greeter != t)) {
        log_note(t->index, "its threads ask servers over %s: a replay may not find their order again; record it with --serialize",
                 is_hidden ? "TLS" : "one connection (HTTP/2)");
        is_reported = true;
    }
    if (is_hidden)
        record_state(t->leader)->greeter = t;
}

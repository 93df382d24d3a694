/* Addresses of sockets: where one listens, and who is called. */
#include "base/base.h"
#include "log/log.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <netinet/in.h>
#include <sys/un.h>

void address_trim(struct address *a)
{
    struct sockaddr_un *u = (void *)&a->a;
    if (u->sun_family == AF_UNIX && a->n > offsetof(struct sockaddr_un, sun_path) && u->sun_path[0]) {
        size_t used = offsetof(struct sockaddr_un, sun_path) + strnlen(u->sun_path, sizeof u->sun_path);
        a->n = a->n < used ? a->n : (socklen_t)used;
        memset((char *)u + a->n, 0, sizeof a->a - a->n);
    }
}

struct address address_of(const struct field *f)
{
    struct address a = {{0}, 0};
    a.n = f && f->length <= sizeof a.a ? (socklen_t)f->length : 0;
    if (f)
        memcpy(&a.a, f->data, a.n);
    address_trim(&a);
    return a;
}

unsigned address_port(const struct address *a)
{
    return a->a.ss_family == AF_INET || a->a.ss_family == AF_INET6 ? ntohs(((const struct sockaddr_in *)&a->a)->sin_port) : 0;
}

bool address_equals(const struct address *a, const struct address *b)
{
    return a->n == b->n && !memcmp(&a->a, &b->a, a->n);
}

void address_set_port(struct address *a, unsigned port)
{
    ((struct sockaddr_in *)&a->a)->sin_port = htons((uint16_t)port);     /* in the same place in the later version */
}

/* As of the later version of the protocol, where the former has a place. */
static struct in6_addr number_of(const struct address *a)
{
    struct in6_addr n = {0};
    if (a->a.ss_family == AF_INET6)
        return ((const struct sockaddr_in6 *)&a->a)->sin6_addr;
    n.s6_addr[10] = n.s6_addr[11] = 0xff;
    memcpy(&n.s6_addr[12], &((const struct sockaddr_in *)&a->a)->sin_addr, 4);
    return n;
}

bool address_is_any(const struct address *a)
{
    static const struct in6_addr none;
    if (a->a.ss_family == AF_INET)
        return !((const struct sockaddr_in *)&a->a)->sin_addr.s_addr;
    return a->a.ss_family == AF_INET6 && !memcmp(&((const struct sockaddr_in6 *)&a->a)->sin6_addr, &none, sizeof none);
}

void address_copy_number(struct address *to, const struct address *from)
{
    if (to->a.ss_family == AF_INET && from->a.ss_family == AF_INET)
        ((struct sockaddr_in *)&to->a)->sin_addr = ((const struct sockaddr_in *)&from->a)->sin_addr;
    else if (to->a.ss_family == AF_INET6 && from->a.ss_family == AF_INET6)
        ((struct sockaddr_in6 *)&to->a)->sin6_addr = ((const struct sockaddr_in6 *)&from->a)->sin6_addr;
}

bool address_same(const struct address *bound, const struct address *to)
{
    struct in6_addr a = number_of(bound), b = number_of(to);
    if (!address_port(bound) || !address_port(to))
        return bound->n && address_equals(bound, to);
    return address_port(bound) == address_port(to) && (address_is_any(bound) || !memcmp(&a, &b, sizeof a));
}

/* Where the datagram of a call goes to, if the call names that. */
bool address_sent_to(struct task *t, struct address *to)
{
    struct msghdr m = {0};
    if (t->nr == REX_NR_sendto)
        m = (struct msghdr){.msg_name = (void *)t->args[4], .msg_namelen = (socklen_t)t->args[5]};
    else if (t->nr == REX_NR_sendmsg)
        mem_read(t->tid, t->args[1], &m, sizeof m);
    memset(to, 0, sizeof *to);
    to->n = m.msg_namelen;
    bool is_named = m.msg_name && to->n <= sizeof to->a && mem_read(t->tid, (uint64_t)m.msg_name, &to->a, to->n);
    if (is_named)
        address_trim(to);                 /* as the log's are */
    return is_named;
}

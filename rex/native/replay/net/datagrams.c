/* Replay: connections of datagrams to servers outside.
 *
 * Each is a pair of local sockets, as those of streams are; a question is its datagrams one after another.
 * A question to a server of names begins with a number that is made from the clock, and that its answer repeats (RFC 1035,
 * 4.1.1): such are not compared, and an answer has that of the question now. */
#include "base/base.h"
#include "replay/net/internal.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <sys/un.h>

enum { NUMBER = 2 };

/* With how long it is, as else one may begin as another does; its number is kept elsewhere. */
void datagram_add(struct bytes *to, const void *data, size_t n, struct bytes *numbers)
{
    bytes_add(to, &n, sizeof n);
    bytes_add(to, data, n);
    if (!numbers || n < NUMBER)
        return;
    bytes_add(numbers, data, NUMBER);
    memset(to->data + to->used - n, 0, NUMBER);
}

/* A logged request was found for the first one. */
void datagrams_found(struct datagrams *d, const struct bytes *were)
{
    if (!were->used || were->used > d->asked.used)
        return;
    bytes_add(&d->were, were->data, were->used);
    bytes_add(&d->are, d->asked.data, were->used);
    d->asked.used -= were->used;
    memmove(d->asked.data, d->asked.data + were->used, d->asked.used);
}

const unsigned char *datagram_now(const struct datagrams *d, const struct reply *reply)
{
    static unsigned char now[1 << 16];
    if (!d->numbered || reply->n < NUMBER || reply->n > sizeof now)
        return reply->data;
    memcpy(now, reply->data, reply->n);
    for (size_t i = d->were.used; i > 0; i -= NUMBER)
        if (!memcmp(now, d->were.data + i - NUMBER, NUMBER))
            return memcpy(now, d->are.data + i - NUMBER, NUMBER);
    return now;
}

void datagrams_free(struct datagrams *d)
{
    bytes_free(&d->asked);
    bytes_free(&d->were);
    bytes_free(&d->are);
}

static int64_t gather_datagrams(struct task *t, struct bytes *asked, struct datagrams *d)
{
    bool is_many = t->nr == REX_NR_sendmmsg;
    struct bytes one = {0};
    int64_t count = 0, n = 0;
    for (; is_many ? message_gather(t, (uint64_t)count, &one) : !count; count++) {
        if (!is_many)
            pipe_gather(t, &one, SIZE_MAX);
        datagram_add(asked, one.data, n = (int64_t)one.used, d->numbered ? &d->asked : NULL);
        one.used = 0;
    }
    bytes_free(&one);
    return is_many ? count : n;
}

int64_t talk_gather(struct task *t, struct bytes *asked, struct datagrams *d)
{
    size_t before = asked->used;
    if (d->on)
        return gather_datagrams(t, asked, d);
    pipe_gather(t, asked, SIZE_MAX);
    return (int64_t)(asked->used - before);
}

/* Our end, for a socket that has a name. */
int datagrams_end(int fd, const struct address *to)
{
    struct sockaddr_un u, peer;
    socklen_t n = inside_new_name(&u, to), size = sizeof peer;
    int own = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (bind(own, (void *)&u, n) || connect(fd, (void *)&u, n) || getsockname(fd, (void *)&peer, &size) || connect(own, (void *)&peer, size))
        die("cannot answer in place of a server: %s", strerror(errno));
    return own;
}

/* The close of such a socket is reported to nobody; but nobody has its name then. */
bool datagrams_over(int fd)
{
    struct sockaddr_un peer;
    socklen_t size = sizeof peer;
    return getpeername(fd, (void *)&peer, &size) || connect(fd, (void *)&peer, size);
}

/* Replay: the sockets at which the engine listens in place of servers outside. */
#include "base/base.h"
#include "replay/net/internal.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <sys/socket.h>
#include <sys/un.h>

enum { FEW = 4096 };

static struct { struct address at; int fd; } *doors;
static size_t door_count;

int door_at(const struct address *to, struct sockaddr_un *u, socklen_t *n)
{
    size_t i = 0;
    while (i < door_count && !address_equals(&doors[i].at, to))
        i++;
    *n = inside_name(u, to);
    if (i == door_count) {
        doors = grow(doors, door_count++, sizeof *doors);
        doors[i].at = *to;
        doors[i].fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (bind(doors[i].fd, (void *)u, *n) || listen(doors[i].fd, FEW))
            die("cannot listen in place of a server: %s", strerror(errno));
    }
    return doors[i].fd;
}

void door_bind_own(int fd, const struct address *to, const struct talk *talk)
{
    struct sockaddr_un u;
    struct address own = *to;
    if (to->a.ss_family == AF_UNIX)
        return;
    talk_own_address(talk, &own);
    address_set_port(&own, talk_own_port(talk) ? talk_own_port(talk) : peers_new_port());
    socklen_t n = inside_name(&u, &own);
    if (bind(fd, (void *)&u, n) && errno == EADDRINUSE) {
        address_set_port(&own, peers_new_port());
        n = inside_name(&u, &own);
        bind(fd, (void *)&u, n);
    }
}

/* One that never came about when recorded takes nothing, and gives nothing. */
void door_shut(int fd)
{
    static const char nothing[1 << 16];
    while (send(fd, nothing, sizeof nothing, MSG_DONTWAIT | MSG_NOSIGNAL) > 0)
        continue;
}

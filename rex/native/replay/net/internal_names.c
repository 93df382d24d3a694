/* Replay: names of internal sockets.  Each address that the program uses has a number, and the kernel's name has that number. */
#include "base/base.h"
#include "replay/net/internal.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <netinet/in.h>
#include <sys/un.h>

static struct { struct address of; bool is_bound; } *names;
static size_t name_count;

static size_t name_for(const struct address *a)
{
    size_t i = 0;
    while (i < name_count && !address_equals(&names[i].of, a))
        i++;
    if (i == name_count) {
        names = grow(names, name_count++, sizeof *names);
        names[i].of = *a;
        names[i].is_bound = false;
    }
    return i;
}

socklen_t inside_kernel_name(struct sockaddr_un *u, size_t number)
{
    memset(u, 0, sizeof *u);
    u->sun_family = AF_UNIX;
    int n = snprintf(u->sun_path + 1, sizeof u->sun_path - 1, "rex-%d-%zu", getpid(), number);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

socklen_t inside_name(struct sockaddr_un *u, const struct address *a)
{
    return inside_kernel_name(u, name_for(a));
}

socklen_t inside_new_name(struct sockaddr_un *u, const struct address *a)
{
    names = grow(names, name_count, sizeof *names);
    names[name_count].of = *a;
    names[name_count].is_bound = false;
    return inside_kernel_name(u, name_count++);
}

bool inside_datagrams(int fd)
{
    int type = 0;
    socklen_t n = sizeof type;
    return !getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &n) && type == SOCK_DGRAM;
}

struct address *inside_meant_by(const struct sockaddr_un *u, socklen_t n)
{
    int process;
    size_t number;
    char name[sizeof u->sun_path] = "";
    if (n > sizeof(sa_family_t) + 1)
        memcpy(name, u->sun_path + 1, n - sizeof(sa_family_t) - 1);
    bool is_ours = sscanf(name, "rex-%d-%zu", &process, &number) == 2 && process == getpid() && number < name_count;
    return is_ours ? &names[number].of : NULL;
}

/* Families are kept as the priority of a socket, which means nothing here. */
enum { IS_LOCAL, IS_4, IS_6 };

void inside_set_family(int fd, int family)
{
    int mark = family == AF_INET ? IS_4 : family == AF_INET6 ? IS_6 : IS_LOCAL;
    setsockopt(fd, SOL_SOCKET, SO_PRIORITY, &mark, sizeof mark);
}

int inside_family(int fd)
{
    int mark = IS_LOCAL;
    socklen_t n = sizeof mark;
    getsockopt(fd, SOL_SOCKET, SO_PRIORITY, &mark, &n);
    return mark == IS_4 ? AF_INET : mark == IS_6 ? AF_INET6 : AF_UNIX;
}

bool inside_end(int fd, bool own, struct address *a)
{
    struct sockaddr_un u;
    socklen_t n = sizeof u;
    if ((own ? getsockname : getpeername)(fd, (void *)&u, &n))
        return false;
    const struct address *known = inside_meant_by(&u, n);
    *a = known ? *known : (struct address){{.ss_family = AF_UNIX}, sizeof(sa_family_t)};
    if (a->a.ss_family == AF_UNIX && inside_family(fd) != AF_UNIX) {
        a->a.ss_family = (sa_family_t)inside_family(fd);
        a->n = inside_family(fd) == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
    }
    return true;
}

bool inside_exact_end(int fd, bool own, struct address *a)
{
    struct address other;
    if (!inside_end(fd, own, a))
        return false;
    if (address_port(a) && address_is_any(a) && inside_end(fd, !own, &other))
        address_copy_number(a, &other);
    return true;
}

size_t inside_bind(const struct address *a)
{
    size_t number = name_for(a);
    names[number].is_bound = true;
    return number;
}

bool inside_listener(const struct address *to, size_t *number)
{
    size_t i = 0;
    while (i < name_count && !(names[i].is_bound && address_same(&names[i].of, to)))
        i++;
    *number = i;
    return i < name_count;
}

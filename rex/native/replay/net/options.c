/* Replay: options of sockets that are made again.  Options of the network mean nothing to the local sockets that replace
 * them: a program that queries an option gets the value that it set. */
#include "base/base.h"
#include "replay/net/internal.h"
#include "replay/tasks/tasks.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <netinet/in.h>

enum { LARGEST = 64 };

static struct option { ino_t inode; int level, name; socklen_t n; unsigned char value[LARGEST]; } *options;
static size_t option_count;

static struct option *option_at(ino_t inode, const struct task *t)
{
    for (size_t i = 0; i < option_count; i++)
        if (options[i].inode == inode && options[i].level == (int)t->args[1] && options[i].name == (int)t->args[2])
            return &options[i];
    return NULL;
}

void replay_options_forget(ino_t inode)
{
    for (size_t i = option_count; i-- > 0; )
        if (options[i].inode == inode)
            options[i] = options[--option_count];
}

static ino_t inode_of(int fd)
{
    struct stat st;
    return fstat(fd, &st) ? 0 : st.st_ino;
}

static void keep(struct task *t, int fd)
{
    struct option *o = option_at(inode_of(fd), t);
    if (t->args[4] > LARGEST)
        return;
    if (!o) {
        options = grow(options, option_count, sizeof *options);
        o = &options[option_count++];
    }
    *o = (struct option){.inode = inode_of(fd), .level = (int)t->args[1], .name = (int)t->args[2], .n = (socklen_t)t->args[4]};
    mem_read(t->tid, t->args[3], o->value, o->n);
}

bool replay_sets_option(struct task *t, int fd)
{
    if (t->args[1] != SOL_SOCKET || t->args[2] == SO_PRIORITY) {
        keep(t, fd);
        skip_call(t, 0);
    } else
        t->want_exit = true;
    return true;
}

/* Some options of any socket are only for those of a network (SO_REUSEPORT, SO_ZEROCOPY): kernels refuse them for local ones. */
void replay_option_set(struct task *t, int fd, int64_t result)
{
    if (result < 0)
        keep(t, fd);
}

static void put_option(struct task *t, const void *value, socklen_t n)
{
    socklen_t room = 0;
    if (!mem_read(t->tid, t->args[4], &room, sizeof room))
        return;
    n = room < n ? room : n;
    mem_write(t->tid, t->args[3], value, n);
    mem_write(t->tid, t->args[4], &n, sizeof n);
}

/* Its result. */
static int64_t give_network_option(struct task *t, int fd)
{
    static const char none[256];
    const struct option *o = option_at(inode_of(fd), t);
    struct event *e = o ? NULL : talk_option(t, replay_line_talk(t));
    if (!e) {
        put_option(t, o ? o->value : (const void *)none, o ? o->n : sizeof none);
        return 0;
    }
    put_outputs(t, e->record);
    replay_done(e);
    return e->record->result;
}

/* False: the kernel is to say it. */
bool replay_get_option(struct task *t, int fd, int family)
{
    struct ucred who;
    socklen_t n = sizeof who;
    int64_t result = 0;
    int value = t->args[2] == SO_DOMAIN ? family : family == AF_UNIX ? 0 : IPPROTO_TCP;
    if (t->args[1] != SOL_SOCKET || option_at(inode_of(fd), t))
        result = give_network_option(t, fd);
    else if (t->args[2] == SO_DOMAIN || t->args[2] == SO_PROTOCOL)
        put_option(t, &value, sizeof value);
    else if (t->args[2] == SO_PEERCRED && !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &n)) {
        uint32_t recorded = replay_recorded(who.pid);
        who.pid = recorded ? (pid_t)recorded : who.pid;
        put_option(t, &who, sizeof who);
    } else
        return false;
    skip_call(t, result);
    return true;
}

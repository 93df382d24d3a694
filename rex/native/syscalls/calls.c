/* What a call is, by its number and arguments alone: the declarations of rex/syscalls/table.py, and classes of calls. */
#define REX_CALLS_IMPLEMENTATION
#include "base/base.h"
#include "syscalls/syscalls.h"

#include <sys/socket.h>

#include <fcntl.h>
#include <sys/mman.h>

const struct rex_call *call_of(long nr)
{
    if (nr < 0 || nr >= REX_CALL_COUNT || !rex_calls[nr].name)
        return NULL;
    return &rex_calls[nr];
}

enum rex_op op_of(long nr)
{
    const struct rex_call *c = call_of(nr);
    return c ? (enum rex_op)c->op : REX_OP_NONE;
}

int arg_of(long nr, enum rex_word word)
{
    const struct rex_call *c = call_of(nr);
    for (int i = 0; c && i < c->nargs; i++)
        if (c->arg[i].word == word)
            return i;
    return -1;
}

int lookup_flags(long nr, const uint64_t *args)
{
    int i = arg_of(nr, REX_WORD_ATFLAGS);
    return i < 0 ? 0 : (int)args[i];
}

unsigned rename_flags(long nr, const uint64_t *args)
{
    int i = arg_of(nr, REX_WORD_RENAMEFLAGS);
    return i < 0 ? 0 : (unsigned)args[i];
}

bool follows_last(long nr, const uint64_t *args)
{
    return !call_of(nr)->nofollow && !(lookup_flags(nr, args) & AT_SYMLINK_NOFOLLOW);
}

bool has_limit_in_ms(const struct rex_call *c)
{
    return c->limit_arg != REX_NO_ARG && c->arg[c->limit_arg].word == REX_WORD_MS;
}

bool has_limit(long nr, const uint64_t *args)
{
    const struct rex_call *c = call_of(nr);
    if (!c || c->limit_arg == REX_NO_ARG)
        return c && (c->hook == REX_HOOK_SLEEP || nr == REX_NR_restart_syscall);
    return has_limit_in_ms(c) ? (int)args[c->limit_arg] >= 0 : args[c->limit_arg] != 0;
}

bool only_looks(long nr, const uint64_t *args)
{
    const struct rex_call *c = call_of(nr);
    return c && has_limit_in_ms(c) && !(int)args[c->limit_arg];
}

/* It takes from a socket what is there, and does not wait. */
bool tries_socket(long nr, const uint64_t *args)
{
    return (nr == REX_NR_recvfrom ? args[3] : nr == REX_NR_recvmsg ? args[2] : 0) & MSG_DONTWAIT;
}

/* A sleep, or a wait that found nothing ready. */
bool is_over_by_time(const struct rex_call *c, int64_t result)
{
    return result == 0 && (c->hook == REX_HOOK_SLEEP || is_readiness_wait(c));
}

bool is_readiness_wait(const struct rex_call *c)
{
    return c && (c->hook == REX_HOOK_POLL || c->hook == REX_HOOK_SELECT || c->hook == REX_HOOK_EPOLL_WAIT);
}

bool lists_directory(long nr)
{
    return op_of(nr) == REX_OP_LIST;
}

bool is_lock_number(uint64_t nr)
{
    return nr == REX_NR_flock || nr == REX_NR_fcntl;
}

bool pipe_takes(long nr)
{
    return op_of(nr) == REX_OP_READ || op_of(nr) == REX_OP_RECV;
}

bool pipe_gives(long nr)
{
    return op_of(nr) == REX_OP_WRITE || op_of(nr) == REX_OP_SEND;
}

/* A signal ended the call, which the kernel may make again. */
bool is_interrupted(int64_t result)
{
    return result == -512 || result == -513 || result == -514 || result == -516;
}

/* Where a call's paths are among its arguments, -1 where it has none. */
struct name_args name_args(long nr)
{
    const struct rex_call *c = call_of(nr);
    struct name_args n = {-1, -1, -1, -1};
    int dirfd = -1;
    for (int i = 0; c && i < c->nargs; i++) {
        if (c->arg[i].word == REX_WORD_DIRFD)
            dirfd = i;
        else if (c->arg[i].word == REX_WORD_PATH && n.path < 0) {
            n.path = i;
            n.dirfd = dirfd;
            dirfd = -1;
        } else if (c->arg[i].word == REX_WORD_PATH) {
            n.path2 = i;
            n.dirfd2 = dirfd;
        }
    }
    return n;
}

const struct rex_ioctl *ioctl_of(unsigned cmd)
{
    for (int low = 0, high = REX_IOCTL_COUNT; low < high; ) {
        int middle = (low + high) / 2;
        const struct rex_ioctl *i = &rex_ioctls[middle];
        if (i->cmd == cmd)
            return i;
        if (i->cmd < cmd)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

bool answers_descriptor(long nr, const uint64_t *args)
{
    enum { PEERPIDFD = 77 };              /* newer than the headers of some systems */
    const struct rex_ioctl *i = nr == REX_NR_ioctl ? ioctl_of((unsigned)args[1]) : NULL;
    return (i && i->makes_fd) || (nr == REX_NR_getsockopt && (int)args[1] == SOL_SOCKET && (int)args[2] == PEERPIDFD);
}

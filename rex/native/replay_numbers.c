/* Replay: numbers of descriptors that waiting threads have.
 *
 * The kernel gives a call that will make a descriptor its number as it begins to wait: others have the next ones, though
 * not in a process that is forked meanwhile.  A wait for a connection that never came is not made here; a
 * descriptor of its own stands for its number. */
#include "engine.h"

#include <sys/socket.h>

static uint64_t bit_of(int64_t fd)
{
    return fd > 0 && fd < 64 ? 1ULL << fd : 0;
}

static void taken(struct task *t, int64_t result)
{
    t->number = (int)result;
    t->files->reserved |= bit_of(result);
}

/* True: it takes one now, and comes again. */
bool replay_takes_number(struct task *t, const struct rex_call *c)
{
    const uint64_t args[6] = {AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC};
    if (c->hook != REX_HOOK_ACCEPT || t->number)
        return false;
    insert_call(t, REX_NR_socket, args, taken);
    return true;
}

/* A signal ended the wait.  A high one is kept, for when it waits again. */
void replay_leaves_number(struct task *t)
{
    uint64_t bit = bit_of(t->number);
    t->files->reserved &= ~bit;
    t->files->copies |= bit;
    t->number = bit ? 0 : t->number;
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

/* Replay of locks that lend their holder the priority of a waiter (PTHREAD_PRIO_INHERIT).
 *
 * The kernel knows their holders by the numbers of threads, which here are those of the recording.  So it takes no part: a thread that
 * waits for such a lock waits on its word as on any other, and the engine passes the lock to the first waiter.
 *
 * A word that has FUTEX_WAITERS is changed by system calls only: from then on only the engine changes it.  To set
 * it, which must be atomic, the tracee is made to call FUTEX_WAKE_OP. */
#include "base/base.h"
#include "replay/index/index.h"
#include "replay/ipc/ipc.h"
#include "replay/tasks/tasks.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <linux/futex.h>

enum { WHAT = 0x7f, BITS = 32, RESTART = -513 };   /* the last: ERESTARTNOINTR, whatever the handler's flags */

/* In the order in which they came; a lock is known by its memory. */
struct waiter { uint32_t task, number; bool has; uint64_t key[2]; };
static struct waiter *waiters;
static size_t waiter_count;

static unsigned what_of(const uint64_t *args)
{
    return args[1] & WHAT;
}

bool replay_lends(const struct task *t)
{
    unsigned what = t->nr == REX_NR_futex ? what_of(t->args) : FUTEX_WAIT;
    return what == FUTEX_LOCK_PI || what == FUTEX_LOCK_PI2 || what == FUTEX_UNLOCK_PI || what == FUTEX_TRYLOCK_PI;
}

/* As the program knows it. */
static uint32_t number_of(const struct task *t)
{
    return t->task_log && t->task_log->tid ? t->task_log->tid : (uint32_t)t->tid;
}

/* The file that is mapped there and the place in it; else its address space and address. */
static void find_key(const struct task *t, uint64_t *key)
{
    char name[32], line[512];
    ull from, to, offset, inode;
    key[0] = (uint64_t)(uintptr_t)t->space;
    key[1] = t->args[0];
    snprintf(name, sizeof name, "/proc/%d/maps", t->tid);
    FILE *f = t->args[1] & FUTEX_PRIVATE_FLAG ? NULL : fopen(name, "re");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "%llx-%llx %*3cs %llx %*s %llu", &from, &to, &offset, &inode) == 4 && inode
            && t->args[0] >= from && t->args[0] < to) {
            key[0] = inode;
            key[1] = t->args[0] - from + offset;
        }
    if (f)
        fclose(f);
}

static struct waiter *find_waiter(const struct task *t)
{
    for (size_t i = 0; i < waiter_count; i++)
        if (waiters[i].task == t->index)
            return &waiters[i];
    return NULL;
}

static void leave(struct waiter *w)
{
    size_t after = (size_t)(waiters + --waiter_count - w);
    memmove(w, w + 1, after * sizeof *w);
}

static bool is_left(const struct waiter *w)
{
    for (struct task *t = tasks; t; t = t->next)
        if (t->alive && t->index == w->task)
            return false;
    return true;
}

/* Who is to have the lock next. */
static struct waiter *first_waiting(const struct task *t)
{
    uint64_t key[2];
    find_key(t, key);
    for (size_t i = 0; i < waiter_count; i++)
        if (is_left(&waiters[i]))
            leave(&waiters[i--]);
        else if (waiters[i].task != t->index && !memcmp(waiters[i].key, key, sizeof key))
            return &waiters[i];
    return NULL;
}

static void await(struct task *t)
{
    struct waiter w = {.task = t->index, .number = number_of(t)};
    if (find_waiter(t))
        return;                           /* it was woken without need, and keeps its place */
    find_key(t, w.key);
    waiters = grow(waiters, waiter_count, sizeof *waiters);
    waiters[waiter_count++] = w;
}

/* ------------------------------------------------------------------ calls */

/* Another operation on the word, in the place of the task's; as private as that. */
static void operate(struct task *t, unsigned what, uint32_t value, uint64_t until, uint64_t last)
{
    struct user_regs_struct r = t->regs;
    r.rsi = what | (t->args[1] & FUTEX_PRIVATE_FLAG);
    r.rdx = value;
    r.r10 = until;
    r.r8 = r.rdi;
    r.r9 = last;
    regs_set(t, &r);
    t->want_exit = true;
}

static uint64_t bit_of(uint32_t task)
{
    return 1ull << task % BITS;
}

static void take(struct task *t, uint32_t word)
{
    struct waiter *w = find_waiter(t);
    word = (word & FUTEX_OWNER_DIED) | number_of(t) | ((w && w->has) || first_waiting(t) ? FUTEX_WAITERS : 0);
    mem_write(t->tid, t->args[0], &word, sizeof word);
    if ((w = find_waiter(t)))
        leave(w);
    skip_call(t, 0);
}

static void release(struct task *t, uint32_t word)
{
    bool is_own = (word & FUTEX_TID_MASK) == number_of(t);
    struct waiter *next = is_own ? first_waiting(t) : NULL;
    if (!is_own) {
        skip_call(t, -EPERM);
        return;
    }
    word = next ? next->number | FUTEX_WAITERS : 0;
    mem_write(t->tid, t->args[0], &word, sizeof word);
    if (!next) {
        skip_call(t, 0);
        return;
    }
    next->has = true;
    operate(t, FUTEX_WAKE_BITSET, INT_MAX, 0, bit_of(next->task));
}

/* Its end may have to hand the lock on: see replay/ipc/robust_futex.c. */
static void watch_holder(uint32_t word)
{
    struct task *holder = task_named(word & FUTEX_TID_MASK);
    if (holder && holder->alive && !holder->has_locks) {
        holder->has_locks = true;
        task_watch_end(holder, END_WITH_LOCKS, true);
    }
}

/* Whether the lock's word does not show its holder yet that another waits. */
bool replay_lend_begins(struct task *t)
{
    uint32_t word;
    if (what_of(t->args) == FUTEX_UNLOCK_PI || !mem_read(t->tid, t->args[0], &word, sizeof word) || word & FUTEX_WAITERS
        || (word & FUTEX_TID_MASK) == number_of(t))
        return false;
    operate(t, FUTEX_WAKE_OP, 1, 0, FUTEX_OP((unsigned)(FUTEX_OP_OR | FUTEX_OP_OPARG_SHIFT), 31, FUTEX_OP_CMP_EQ, 0));
    return true;
}

/* The deadline is in the registers, where it has been reckoned already: see replay_until(). */
void replay_lend(struct task *t)
{
    uint32_t word;
    const struct waiter *w = find_waiter(t);
    if (!mem_read(t->tid, t->args[0], &word, sizeof word)) {
        skip_call(t, -EFAULT);
        return;
    }
    bool is_own = (word & FUTEX_TID_MASK) == number_of(t);
    if (what_of(t->args) == FUTEX_UNLOCK_PI)
        release(t, word);
    else if (is_own && w && w->has)
        take(t, word);
    else if (is_own)
        skip_call(t, -EDEADLK);
    else if (replay_lend_begins(t))
        return;
    else if (!(word & FUTEX_TID_MASK))
        take(t, word);
    else if (what_of(t->args) == FUTEX_TRYLOCK_PI)
        skip_call(t, -EAGAIN);
    else {
        watch_holder(word);
        await(t);
        operate(t, FUTEX_WAIT_BITSET | (replay_waits_by_wall(t) ? FUTEX_CLOCK_REALTIME : 0), word, regs_get(t).r10, bit_of(t->index));
    }
}

/* False: the call goes on, or is made again. */
bool replay_lend_exit(struct task *t, int64_t *result)
{
    bool is_over = what_of(t->args) == FUTEX_UNLOCK_PI;
    struct waiter *w = find_waiter(t);
    struct user_regs_struct r = t->regs;
    if (is_over)
        *result = 0;
    else if (is_interrupted(*result)) {
        r.rax = (ull)RESTART;             /* after the signal, with the arguments that it had */
        regs_set(t, &r);
    } else if (*result == -ETIMEDOUT && w && !w->has) {
        leave(w);
        is_over = true;
    } else
        rewind_call(t);
    return is_over;
}

bool replay_waits_by_wall(const struct task *t)
{
    return t->args[1] & FUTEX_CLOCK_REALTIME || (t->args[1] & FUTEX_CMD_MASK) == FUTEX_LOCK_PI;
}

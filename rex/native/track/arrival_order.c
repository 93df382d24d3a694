/* What threads read from the inner pipes of other processes: in which order it arrives.
 *
 * Each of several threads may wait for another process, and pass on what that says to one that works.  So their
 * reads of pipes that none of them writes are in the log, and what is as short as messages are a thread has only once
 * the others are back for more, if that is soon: then the order of the reads is that in which all was passed on.
 * As a thread is made, the pipes are looked for that the process has by then. */
#include "base/base.h"
#include "log/log.h"
#include "mode/mode.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"
#include "track/internal.h"
#include "track/track.h"

#include <fcntl.h>

/* Whoever has read and computes for longer, or sleeps for longer (it may wait for its turn to run, as Python's threads do),
 * does something else. */
enum { MANY = 256, SHORT = 4096, COMPUTES_NS = 2000000, SLEEPS_NS = 10000000 };

bool is_arrival_call(const struct task *t)
{
    return !is_serialized() && t->leader->threaded && pipe_takes(t->nr) && files_mark(t->files, (int)t->args[0]) == (uint32_t)PIPE_ARRIVES;
}

static unsigned access_of(pid_t tid, int fd)
{
    return flags_of_fd(tid, fd, O_RDWR) & O_ACCMODE;
}

/* The process makes another thread. */
void arrivals_watch(struct task *t)
{
    struct { int fd; ino_t pipe; } ends[MANY];
    ino_t own[MANY];
    int fd, end_count = 0, own_count = 0;
    struct stat st;
    if (is_serialized() || !tasks_forked() || (run_mode->follows_arrivals && !run_mode->follows_arrivals(t)))
        return;
    for (DIR *d = fds_of(t->tid); (fd = next_fd(d)) >= 0; ) {
        if (fd <= 2 || end_count == MANY || own_count == MANY || !stat_of_fd(t->tid, fd, &st) || !S_ISFIFO(st.st_mode))
            continue;
        if (access_of(t->tid, fd) != O_RDONLY)
            own[own_count++] = st.st_ino;
        else if (!files_mark(t->files, fd)) {
            ends[end_count].fd = fd;
            ends[end_count++].pipe = st.st_ino;
        }
    }
    for (int i = 0; i < end_count; i++) {
        int k = 0;
        while (k < own_count && own[k] != ends[i].pipe)
            k++;
        if (k == own_count)
            files_set(t->files, ends[i].fd, (uint32_t)PIPE_ARRIVES);
    }
}

/* ------------------------------------------------------------------ recording */

static unsigned waiting;                 /* tasks that are held so */

static struct arrival *came(const struct task *t)
{
    return &track_state(t)->came;
}

static void let_in(struct task *t, bool all_are_back)
{
    static struct bytes b;
    log_begin(&b, EVENT_PIPE, t->index);
    struct record *r = (struct record *)b.data;
    r->result = came(t)->size;
    r->args[0] = (uint64_t)t->nr;
    r->args[1] = t->args[0];
    r->args[2] = came(t)->pipe;
    r->args[3] = IS_ARRIVAL;
    r->args[4] = all_are_back;
    log_end(&b);
    came(t)->is_out = came(t)->size < SHORT;
    came(t)->at = log_now();
    came(t)->ran = came(t)->is_out ? task_usage(t).ran : 0;
    came(t)->size = 0;
}

static bool is_away(struct task *t)
{
    ull passed = log_now() - came(t)->at, ran = task_usage(t).ran;
    return task_state(t) == 'S' ? passed > SLEEPS_NS : (ran ? ran - came(t)->ran : passed) > COMPUTES_NS;
}

/* True: it is in the log, and goes on. */
static bool comes(struct task *t)
{
    bool all_are_back = true;
    for (struct task *other = tasks; other; other = other->next) {
        if (other == t || !other->alive || other->leader != t->leader || !came(other)->is_out)
            continue;
        if (came(t)->size < SHORT && !is_away(other))
            return false;
        all_are_back = false;
    }
    let_in(t, all_are_back);
    return true;
}

static struct task *first_waiting(const struct task *after)
{
    struct task *first = NULL;
    for (struct task *t = tasks; t; t = t->next)
        if (t->alive && t->held && came(t)->size && (!after || came(t)->at > came(after)->at) && (!first || came(t)->at < came(first)->at))
            first = t;
    return first;
}

void arrivals_settle(void)
{
    for (struct task *t = waiting ? first_waiting(NULL) : NULL, *next; t; t = next) {
        next = first_waiting(t);
        if (comes(t)) {
            waiting--;
            t->held = false;
            resume(t, 0);
        }
    }
}

bool arrivals_wait(void)
{
    return waiting;
}

bool arrival_begins(struct task *t)
{
    came(t)->waits = is_arrival_call(t);
    if (!came(t)->waits)
        return false;
    came(t)->is_out = false;
    t->want_exit = true;
    arrivals_settle();
    return true;
}

bool arrival_came(struct task *t, int64_t result)
{
    struct stat st;
    bool waited = came(t)->waits;
    came(t)->waits = false;
    if (!waited || result <= 0 || !stat_of_fd(t->tid, (int)t->args[0], &st))
        return waited;
    came(t)->size = result;
    came(t)->pipe = st.st_ino;
    came(t)->at = log_now();
    t->held = !comes(t);
    waiting += t->held;
    return true;
}

void arrivals_ended(struct task *t)
{
    waiting -= came(t)->size > 0;
    came(t)->size = came(t)->is_out = 0;
    arrivals_settle();
}

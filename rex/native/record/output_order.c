/* Record: the order of what goes out.
 *
 * Writes to one outside file by several tasks are let in one after another, so that their order in the log is their
 * order in the file.  Who alone writes to the standard output and error, again and again, does so without a stop, and notes it
 * in its ring.  As soon as another comes to write, that one waits until the first is not about to, and all that it has
 * noted is in the log. */
#include "base/base.h"
#include "fastpath/area.h"
#include "fastpath/fastpath.h"
#include "mode/mode.h"
#include "record/internal.h"
#include "record/record.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"
#include "track/track.h"
#include "turns/turns.h"

#include <fcntl.h>
#include <sys/sysmacros.h>

enum { ENOUGH = 12 };

static struct task *speaker;             /* who writes without a stop */
static const struct task *last;          /* who has written last, how often in a row */
static unsigned said;

/* To a pipe that is watched, and does not make it wait. */
static bool is_pipe_try(const struct task *t)
{
    return pipe_gives(t->nr) && is_pipe_call(t) && !is_pipe_turn(t) && flags_of_fd(t->tid, (int)t->args[0], 0) & O_NONBLOCK;
}

bool is_ordered_write(struct task *t)
{
    return (t->shares && is_shared_write(t)) || is_pipe_turn(t) || is_pipe_try(t) || (!is_serialized() && is_output(t->stream) && (call_of(t->nr)->fd_args & 1)
        && op_of(t->nr) == REX_OP_WRITE);
}

/* The standard output and error are one; so are all files that processes share.  A pipe may be full, which is no concern of others,
 * nor of those that do not wait there. */
static uint64_t turn_of(struct task *t)
{
    enum { PIPE_TRIED, OUTPUT, SHARED, PIPE };
    struct stat st;
    if (t->shares)
        return SHARED;
    if (!is_pipe_call(t) || !stat_of_fd(t->tid, (int)t->args[0], &st))
        return OUTPUT;
    return (uint64_t)st.st_ino << 2 | (is_pipe_turn(t) ? PIPE : PIPE_TRIED);
}

static struct task *find_turn(uint64_t turn, bool has)
{
    struct task *t = tasks;
    while (t && !(t->alive && record_state(t)->turn == turn && record_state(t)->has_turn == has))
        t = t->next;
    return t;
}

void writer_comes(struct task *t)
{
    if (!(t->end_watched & END_IN_WRITE))
        task_watch_end(t, END_IN_WRITE, true);
    record_state(t)->has_turn = false;                  /* where it comes to the same call again */
    record_state(t)->turn = turn_of(t);
    record_state(t)->has_turn = !find_turn(record_state(t)->turn, true);
    t->held = !record_state(t)->has_turn;
}

void writer_goes(struct task *t)
{
    struct task *next = record_state(t)->has_turn ? find_turn(record_state(t)->turn, false) : NULL;
    record_state(t)->has_turn = false;
    record_state(t)->turn = 0;
    if (!next)
        return;
    next->held = false;
    record_state(next)->has_turn = true;
    resume(next, 0);
}

/* ------------------------------------------------------------------ without a stop */

/* What waits only for a reader, if at all: a terminal may be stopped for long. */
static bool is_quick(struct task *t, int fd)
{
    struct stat st;
    return stat_of_fd(t->tid, fd, &st) && (S_ISFIFO(st.st_mode) || S_ISREG(st.st_mode) || (S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3)));
}

void speech_went(struct task *t)
{
    if (!is_ordered_write(t) || t->shares)
        return;
    said = t == last ? said + 1 : 1;
    last = t;
    if (speaker || said < ENOUGH || !t->ring || plan.seed)
        return;
    said = 0;
    uint64_t fds = files_outputs(t->files), quick = 0;
    for (int fd = 0; fd < 63; fd++)
        if (fds >> fd & 1 && is_quick(t, fd))
            quick |= 1ULL << fd;
    if (quick && mem_write(t->tid, t->ring + offsetof(struct ring, says), &quick, sizeof quick))
        speaker = t;
}

static void speech_ends(void)
{
    const uint64_t none = 0;
    struct task *t = speaker;
    speaker = NULL;
    if (!t || !t->ring || !mem_write(t->tid, t->ring + offsetof(struct ring, says), &none, sizeof none))
        return;
    fast_settle(t);
}

void speech_stops(const struct task *t)
{
    if (speaker && t != speaker && is_output(t->stream))
        speech_ends();
}

static void speech_changes(const struct files *f)
{
    if (speaker && speaker->files == f)
        speech_ends();
}

static void speech_forgets(struct task *t)
{
    if (t == speaker)
        speaker = NULL;
}

const struct observer output_observer = {.files_changed = speech_changes, .program_gone = speech_forgets};

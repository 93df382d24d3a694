/* Inner pipes that several processes write to from their standard output and error: in which order they do is in the log.
 *
 * Shells give one pipe to many, so that an end there is marked as it is put there, and of a process and its child as that is
 * made.  Who writes to it takes turns with the others, as at the standard output, and has an event, until the log says
 * that it is alone: then nobody else has such an end, or it has written often in a row.  So marks change only at
 * what the process itself does, and a replay has them at the same places.
 * An end at a higher number is marked in a child that is not about to execute a program, until it does.  As long as it has one, each
 * of its first calls stops; so a program, whose children close it or put it at 1, as a shell's do, is believed after a few. */
#include "base/base.h"
#include "log/log.h"
#include "mode/mode.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"
#include "track/internal.h"
#include "track/track.h"

#include <fcntl.h>
#include <sched.h>

enum { IN_A_ROW = 256, FEW = 16 };

static bool is_write_end(pid_t tid, int fd, struct stat *st)
{
    return stat_of_fd(tid, fd, st) && S_ISFIFO(st->st_mode) && (flags_of_fd(tid, fd, O_RDONLY) & O_ACCMODE) != O_RDONLY;
}

/* What the threads of a process start they share by their race, but for what its first thread forks. */
static bool may_take_turns(const struct task *t)
{
    return !log_is_plain && regime_of(t) == ONE_THREAD && (!t->leader->from_threads || t->leader->joins_turns);
}

static void mark(struct task *t, int fd)
{
    struct stat st;
    if (may_take_turns(t) && !files_mark(t->files, fd) && is_write_end(t->tid, fd, &st))
        files_set(t->files, fd, (uint32_t)PIPE_WRITTEN);
}

/* A descriptor was duplicated to this one. */
void pipe_stands(struct task *t, int64_t fd)
{
    if (fd == 1 || fd == 2)
        mark(t, (int)fd);
}

void pipe_inherited(struct task *parent, struct task *t, uint64_t flags)
{
    if (!parent || flags & CLONE_THREAD)
        return;
    for (int fd = 1; fd <= 2; fd++) {
        mark(parent, fd);
        mark(t, fd);
    }
}

/* Marks the ends that a child has at higher numbers, if any. */
bool pipe_inherited_high(struct task *t)
{
    int before = t->files->high, fd;
    for (DIR *d = fds_of(t->tid); (fd = next_fd(d)) >= 0; )
        if (fd > 2)
            mark(t, fd);
    return t->files->high > before;
}

static void pipe_executed(struct files *f)
{
    for (int i = f->count - 1; i >= 0; i--)
        if (f->item[i].fd > 2 && f->item[i].stream == (uint32_t)PIPE_WRITTEN)
            files_set(f, f->item[i].fd, 0);
}

/* Those that are watched for what is ready there have events as well (track/pipes.c), which do not end. */
bool is_pipe_turn(const struct task *t)
{
    uint32_t mark = op_of(t->nr) == REX_OP_WRITE ? files_mark(t->files, (int)t->args[0]) : 0;
    struct stat st;
    return (mark == (uint32_t)PIPE_WRITTEN || (mark == (uint32_t)PIPE_BYTES && stat_of_fd(t->tid, (int)t->args[0], &st) && S_ISFIFO(st.st_mode)))
        && may_take_turns(t);
}

/* It is alone: what it writes there has no events any more. */
void pipe_turns_end(struct task *t, int fd)
{
    struct stat st, other;
    bool is_there = stat_of_fd(t->tid, fd, &st);
    for (int i = t->files->count - 1; i >= 0; i--) {
        struct external x = t->files->item[i];
        if (x.stream == (uint32_t)PIPE_WRITTEN && (!is_there || (stat_of_fd(t->tid, x.fd, &other) && other.st_ino == st.st_ino)))
            files_set(t->files, x.fd, 0);
    }
}

/* ------------------------------------------------------------------ record: whose children write at higher numbers */

/* How many children of a program had such an end, whether one wrote there. */
struct manner { unsigned children; bool writes; };

static struct manner *manner_of(const struct task *t)
{
    static struct table manners;
    char exe[40];
    struct stat st = {0};
    snprintf(exe, sizeof exe, "/proc/%d/exe", t->tid);
    stat(exe, &st);
    struct manner **at = (struct manner **)table_at_file(&manners, st.st_dev, st.st_ino);
    return *at ? *at : (*at = zalloc(sizeof **at));
}

/* Whether the log is to say that it takes turns though its maker has threads. */
bool pipe_may_join(const struct task *parent, uint64_t flags)
{
    bool has_threads = parent->leader->threaded || parent->leader->from_threads;
    return has_threads && parent == parent->leader && (!parent->from_threads || parent->joins_turns) && !(flags & (CLONE_THREAD | CLONE_VFORK));
}

/* The same, that they are marked. */
bool pipe_may_speak(struct task *t, uint64_t flags)
{
    if (flags & (CLONE_THREAD | CLONE_VFORK) || !may_take_turns(t))
        return false;
    struct manner *m = manner_of(t);
    bool is_marked = (m->writes || m->children < FEW) && pipe_inherited_high(t);
    m->children += is_marked;
    return is_marked;
}

/* ------------------------------------------------------------------ record: who is alone */

static bool has_end(const struct task *t, ino_t pipe)
{
    bool has = false;
    int fd;
    for (DIR *d = fds_of(t->tid); (fd = next_fd(d)) >= 0; ) {
        struct stat st;
        has |= stat_of_fd(t->tid, fd, &st) && st.st_ino == pipe && is_write_end(t->tid, fd, &st);
    }
    return has;
}

static bool has_other_end(const struct task *own, ino_t pipe)
{
    for (const struct task *t = tasks; t; t = t->next)
        if (t->alive && t->files != own->files && t->leader == t && has_end(t, pipe))
            return true;
    return false;
}

/* Who has written last to each pipe, how often in a row. */
struct row { uint32_t task; unsigned length; };

/* Whether who has just written to the pipe needs no turns any more.  Looked for now and then: there may be many. */
bool pipe_is_left(const struct task *t, ino_t pipe)
{
    if (files_mark(t->files, (int)t->args[0]) != (uint32_t)PIPE_WRITTEN)
        return false;
    static struct table rows;
    struct row **at = (struct row **)table_at_file(&rows, 0, pipe), *row = *at;
    bool is_first = !row, is_next = row && row->task == t->index;
    if (is_first)
        row = *at = zalloc(sizeof *row);
    if (!is_next && t->args[0] > 2)
        manner_of(t)->writes = true;
    row->length = is_next ? row->length + 1 : 1;
    row->task = t->index;
    bool looks = (row->length & (row->length - 1)) == 0 && (is_first || row->length > 1);
    return row->length >= IN_A_ROW || (looks && !has_other_end(t, pipe));
}

const struct observer pipe_observer = {.executed = pipe_executed};

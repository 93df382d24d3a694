/* Files that several processes share: whose place among theirs a call has is in the log.
 *
 * Taking a lock is an event.  Giving it up, by a call, a close or an end, needs none: locks are real in a
 * replay.  Writing is one while several processes have the file open for writing, who have it from one another
 * or append to it: such descriptors are marked, as external ones are, so that calls on them stop. */
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
#include <sys/file.h>

/* By mark. since: how many events there were when it became marked, + 1. */
struct shared { dev_t device; ino_t inode; uint64_t since; };
static struct shared *shared;
static size_t shared_count, marked;

/* ------------------------------------------------------------------ which calls */

static bool takes_flock(const struct task *t)
{
    return t->nr == REX_NR_flock && !(t->args[1] & LOCK_UN);
}

/* Nobody else can hold locks of these kinds before the first process has made others. */
static bool takes_record_lock(const struct task *t)
{
    short type = F_UNLCK;
    int cmd = (int)t->args[1];
    return t->nr == REX_NR_fcntl && (cmd == F_SETLK || cmd == F_SETLKW || cmd == F_OFD_SETLK || cmd == F_OFD_SETLKW)
        && tasks_forked() && mem_read(t->tid, t->args[2], &type, sizeof type) && type != F_UNLCK;
}

/* The descriptor that a call writes to, where the position is; -1 if it is no such call. */
int written_descriptor(const struct task *t)
{
    if (op_of(t->nr) == REX_OP_WRITE)
        return (int)t->args[0];
    if (call_of(t->nr)->hook == REX_HOOK_COPY && stream_of(t->files, call_of(t->nr), t->args))
        return -1;
    if (t->nr == REX_NR_sendfile)
        return (int)t->args[0];
    if (t->nr == REX_NR_copy_file_range || t->nr == REX_NR_splice)
        return t->args[3] ? -1 : (int)t->args[2];
    return -1;
}

bool is_shared_write(const struct task *t)
{
    int fd = written_descriptor(t);
    return fd >= 0 && files_shared(t->files, fd);
}

/* Whether the log has the call as one on a shared file. */
bool is_shared_call(const struct task *t)
{
    if (is_serialized() || log_is_plain)
        return false;
    return is_shared_write(t) || ((takes_flock(t) || takes_record_lock(t)) && !files_stream(t->files, (int)t->args[0]));
}

/* Of the call's number and descriptor. */
uint64_t shared_key(const uint64_t *args)
{
    uint16_t call = is_lock_number(args[0]) ? (uint16_t)args[0] : REX_NR_write;
    return (uint64_t)EVENT_SHARED << 48 ^ (uint32_t)call << 16 ^ (uint16_t)args[1];
}

/* Where the next write to a descriptor goes. */
uint64_t write_position(const struct task *t, int fd, bool was_written)
{
    struct stat st;
    bool is_at_end = flags_of_fd(t->tid, fd, 0) & O_APPEND && !was_written && stat_of_fd(t->tid, fd, &st);
    return is_at_end ? (uint64_t)st.st_size : position_of_fd(t->tid, fd, 0);
}

/* Recording, whether its call, which has been seen to begin and is to be reported once more, is one by now. */
bool is_shared_meanwhile(const struct task *t)
{
    return run_mode->logs && run_mode->is_fast && t->state == CALL_ENTERED && !t->want_exit && !t->shares && is_shared_write(t);
}

/* The event of a call that has ended; log_end() is due. */
void shared_event(struct task *t, struct bytes *b, int64_t result)
{
    struct stat st;
    bool writes = !is_lock_number((uint64_t)t->nr);
    int fd = writes ? written_descriptor(t) : (int)t->args[0];
    uint32_t mark = files_shared(t->files, fd);
    char *path = path_of_fd(t->tid, fd);
    log_begin(b, EVENT_SHARED, t->index);
    struct record *r = (struct record *)b->data;
    r->result = result;
    r->args[0] = (uint64_t)t->nr;
    r->args[1] = (uint64_t)fd;
    if (stat_of_fd(t->tid, fd, &st)) {
        r->args[2] = st.st_ino;
        r->args[3] = st.st_dev;
    }
    r->args[4] = t->args[1];
    short type = 0;
    if (t->nr == REX_NR_fcntl && mem_read(t->tid, t->args[2], &type, sizeof type))
        r->args[5] = (uint64_t)type + 1;
    if (writes) {
        r->args[4] = write_position(t, fd, result > 0) - (result > 0 ? (uint64_t)result : 0);
        r->args[5] = mark ? shared[mark - 1].since : log_records + 1;
    }
    if (path)
        log_field(b, 0, FIELD_RESOLVED, path, strlen(path));
    free(path);
}

/* ------------------------------------------------------------------ record: who may write */

static bool is_written_by(const struct task *t, int fd, struct stat *st)
{
    return !files_stream(t->files, fd) && stat_of_fd(t->tid, fd, st) && S_ISREG(st->st_mode)
        && (flags_of_fd(t->tid, fd, O_RDONLY) & O_ACCMODE) != O_RDONLY;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_ino == b->st_ino && a->st_dev == b->st_dev;
}

/* The mark that the file has had, or gets if it is to have one; 0 without. */
static uint32_t mark_of(const struct stat *st, bool make)
{
    size_t i = 0;
    while (i < shared_count && (shared[i].inode != st->st_ino || shared[i].device != st->st_dev))
        i++;
    if (i == shared_count && make) {
        shared = grow(shared, shared_count, sizeof *shared);
        shared[shared_count++] = (struct shared){st->st_dev, st->st_ino, 0};
    }
    return i < shared_count ? (uint32_t)i + 1 : 0;
}

static void share(struct task *t, int fd, const struct stat *st)
{
    uint32_t mark = mark_of(st, true);
    if (!shared[mark - 1].since) {
        shared[mark - 1].since = log_records + 1;
        marked++;
    }
    files_share(t->files, fd, mark);
}

/* Calls look(t, fd, st, what) for each file that t has open for writing; false if there is none. */
static bool each_written(struct task *t, void (*look)(struct task *t, int fd, const struct stat *st, void *what), void *what)
{
    bool any = false;
    int fd;
    for (DIR *d = fds_of(t->tid); (fd = next_fd(d)) >= 0; ) {
        struct stat st;
        if (!is_written_by(t, fd, &st))
            continue;
        any = true;
        look(t, fd, &st, what);
    }
    return any;
}

struct search { const struct stat *st; bool found, marks; };

static void find_same(struct task *t, int fd, const struct stat *st, void *what)
{
    struct search *s = what;
    if (!is_same(st, s->st))
        return;
    s->found = true;
    if (s->marks)
        share(t, fd, st);
}

/* One that t has from another process, which may have it under another number where t moved it before it executed. */
static void share_common(struct task *t, int fd, const struct stat *st, void *from)
{
    struct stat other;
    struct task *maker = from;
    struct search s = {st, false, true};
    if (stat_of_fd(maker->tid, fd, &other) && is_same(&other, st)) {
        s.found = true;
        share(maker, fd, st);
    } else if (track_state(t)->made_by) {
        each_written(maker, find_same, &s);
    }
    if (s.found)
        share(t, fd, st);
}

/* A process has been made.  One that shares its maker's memory will execute soon. */
void shared_born(struct task *parent, struct task *t, uint64_t flags)
{
    if (is_serialized() || !parent || flags & (CLONE_THREAD | CLONE_FILES) || !parent->files->writes)
        return;
    if (flags & CLONE_VM)
        track_state(t)->made_by = parent->tid;
    else
        t->files->writes = parent->files->writes = each_written(t, share_common, parent);
}

void shared_executed(struct task *t)
{
    struct task *maker = track_state(t)->made_by ? task_of(track_state(t)->made_by) : NULL;
    if (maker && t->files->writes)
        t->files->writes = each_written(t, share_common, maker);
    track_state(t)->made_by = 0;
    shared_recount(NULL);
}

/* ------------------------------------------------------------------ record: who opens what others have open */

/* Those that opened a file to append to it, or to truncate and write it, and may have it open still. */
struct opener { pid_t tid; uint32_t index; };
struct openers { struct opener *item; size_t count; };
static struct table opened;              /* device and inode -> those */

static struct openers *openers_of(dev_t device, ino_t inode)
{
    struct openers **at = (struct openers **)table_at_file(&opened, device, inode);
    if (!*at)
        *at = zalloc(sizeof **at);
    return *at;
}

static void add_opener(struct openers *o, struct task *t)
{
    for (size_t i = 0; i < o->count; i++)
        if (o->item[i].index == t->leader->index)
            return;
    o->item = grow(o->item, o->count, sizeof *o->item);
    o->item[o->count++] = (struct opener){t->leader->tid, t->leader->index};
}

/* It stops before it writes again: at the end of its call, or now. */
static void stop_soon(struct task *t)
{
    if (!t->want_exit && !t->held && !t->listening && t->started && task_state(t) != 't')
        task_halt(t);
}

/* Whether another process has the file open for writing.  If so, and it is appended to, they share it from now on: all
 * of them, as there may be more than one, whose open has not yet been seen to return. */
static bool is_joined(struct task *t, const struct stat *st, bool appends)
{
    struct openers *o = openers_of(st->st_dev, st->st_ino);
    uint32_t mark = mark_of(st, false);
    bool was_shared = mark && shared[mark - 1].since, joined = was_shared;
    for (size_t i = 0; i < o->count && !was_shared; i++) {
        struct task *other = task_of(o->item[i].tid);
        struct search s = {st, false, false};
        if (o->item[i].index == t->leader->index)
            continue;
        if (other && other->index == o->item[i].index)
            each_written(other, find_same, &s);
        if (s.found && appends) {
            stop_soon(other);
            s.marks = true;
            each_written(other, find_same, &s);
        }
        joined |= s.found;
        if (!s.found)
            o->item[i--] = o->item[--o->count];
    }
    add_opener(o, t);
    return joined;
}

/* t has opened a file for writing. */
void shared_opened(struct task *t, int fd, const struct stat *st, int flags)
{
    static struct bytes b;
    t->files->writes = true;
    if (is_serialized() || !(flags & (O_APPEND | O_TRUNC)) || !is_joined(t, st, flags & O_APPEND))
        return;
    struct stat now = *st;
    uint32_t mark = mark_of(st, false);
    if (mark && shared[mark - 1].since)
        share(t, fd, st);
    char *path = path_of_fd(t->tid, fd);
    stat_of_fd(t->tid, fd, &now);
    log_begin(&b, EVENT_SHARED, t->index);
    struct record *r = (struct record *)b.data;
    r->result = fd;
    r->args[0] = (uint64_t)t->nr;
    r->args[1] = (uint64_t)fd;
    r->args[2] = st->st_ino;
    r->args[3] = st->st_dev;
    r->args[4] = (uint64_t)now.st_size;   /* what the others have written by now */
    if (path)
        log_field(&b, 0, FIELD_RESOLVED, path, strlen(path));
    log_end(&b);
    free(path);
}

/* ------------------------------------------------------------------ record: who is left */

/* Which process alone has a mark, if one has.  gone: a task that ends. */
static bool is_alone(uint32_t mark, const struct task *gone, struct task **who)
{
    *who = NULL;
    for (struct task *t = tasks; t; t = t->next)
        if (t->alive && t != gone && (!*who || t->files != (*who)->files) && files_has_shared(t->files, mark)) {
            if (*who)
                return false;
            *who = t;
        }
    return true;
}

/* Processes have ended, executed, or closed files: those that one alone has are not marked any more. */
void shared_recount(const struct task *gone)
{
    struct task *who;
    for (uint32_t mark = 1; marked && mark <= shared_count; mark++) {
        if (!shared[mark - 1].since || !is_alone(mark, gone, &who))
            continue;
        shared[mark - 1].since = 0;
        marked--;
        if (who) {
            files_unshare(who->files, mark);
            add_opener(openers_of(shared[mark - 1].device, shared[mark - 1].inode), who);
        }
    }
}

/* Replay of what processes do to files that they share: each takes a lock after those that had it before, and
 * writes where it wrote.
 *
 * Locks are real, so that who waits for one has it when its holder lets go of it, in whatever way.  One that was
 * had at once may have to be waited for here; one that was not had is refused by the log. */
#include "base/base.h"
#include "live/live.h"
#include "log/log.h"
#include "mode/mode.h"
#include "replay/files/files.h"
#include "replay/files/internal.h"
#include "replay/index/index.h"
#include "replay/match/match.h"
#include "replay/order/order.h"
#include "replay/rules/rules.h"
#include "replay/send/send.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"
#include "track/track.h"
#include "tree/tree.h"

#include <fcntl.h>
#include <sys/file.h>

static struct table locked;              /* path -> what is locked in its place */

/* A file that several processes write: what they wrote while they did, in order. */
struct written { struct event **event; size_t count, head; uint32_t opener; bool is_opened_by_many; };
static struct written *written;
static size_t written_count;
static struct table marks;               /* device and inode -> place there + 1 */

static bool is_lock(const struct record *r)
{
    return is_lock_number(r->args[0]);
}

static void note_lock(struct event *e)
{
    static struct table last;
    static char none[] = "";
    const struct record *r = e->record;
    struct event **at = (struct event **)table_at_file(&last, r->args[3], r->args[2]);
    char *path = r->args[0] == REX_NR_flock ? record_text(r, FIELD_WHOLE, FIELD_RESOLVED) : NULL;
    e->before = *at;
    *at = e;
    if (path)
        *table_at(&locked, path) = none;
    free(path);
}

static uintptr_t mark_at(uint64_t device, uint64_t inode)
{
    uintptr_t *mark = (uintptr_t *)table_at_file(&marks, device, inode);
    if (!*mark) {
        written = grow(written, written_count, sizeof *written);
        written[written_count++] = (struct written){.opener = UINT32_MAX};
        *mark = written_count;
    }
    return *mark;
}

static void note_write(struct event *e)
{
    uintptr_t mark = mark_at(e->record->args[3], e->record->args[2]);
    struct written *w = &written[mark - 1];
    w->event = grow(w->event, w->count, sizeof *w->event);
    w->event[w->count++] = e;
}

static bool is_open(const struct record *r)
{
    return call_of(r->call) && call_of(r->call)->hook == REX_HOOK_OPEN;
}

/* Opened to append, or to truncate and write, as a shell's redirections do. */
static bool is_redirection(const struct record *r)
{
    int flags = flags_in(r);
    return flags & (O_APPEND | O_TRUNC) && (flags & O_ACCMODE) != O_RDONLY;
}

/* The mark of the file that the open made, or found; 0 without one. */
static uint32_t mark_opened(const struct record *r, bool make)
{
    const struct field *f = record_field(r, FIELD_WHOLE, FIELD_STAT);
    struct stat st;
    if (!is_open(r) || r->result < 0 || r->stream || !f || f->length < sizeof st)
        return 0;
    memcpy(&st, f->data, sizeof st);
    if (!S_ISREG(st.st_mode))
        return 0;
    return (uint32_t)(make ? mark_at(st.st_dev, st.st_ino) : (uintptr_t)*table_at_file(&marks, st.st_dev, st.st_ino));
}

static void note_open(const struct event *e)
{
    uint32_t mark = is_open(e->record) && is_redirection(e->record) ? mark_opened(e->record, true) : 0;
    if (!mark)
        return;
    struct written *w = &written[mark - 1];
    w->is_opened_by_many |= w->opener != UINT32_MAX && w->opener != e->record->task;
    w->opener = e->record->task;
}

/* Of an open only that others had the file open, too. */
static bool is_join(const struct record *r)
{
    return r->call == EVENT_SHARED && !is_lock(r) && call_of((long)r->args[0]) && call_of((long)r->args[0])->hook == REX_HOOK_OPEN;
}

void replay_shared_start(void)
{
    for (size_t i = 0; i < event_count && !is_serialized() && !log_is_plain; i++)
        if (is_join(events[i].record))
            replay_done(&events[i]);
        else if (events[i].record->call == EVENT_SHARED)
            (is_lock(events[i].record) ? note_lock : note_write)(&events[i]);
        else
            note_open(&events[i]);
}

/* The mark of a file that an open is to write, and others write, too; 0: of none. */
uint32_t replay_shared_mark(const struct record *r)
{
    uint32_t mark = (flags_in(r) & O_ACCMODE) == O_RDONLY ? 0 : mark_opened(r, false);
    return mark && (written[mark - 1].count || written[mark - 1].is_opened_by_many) ? mark : 0;
}

/* A descriptor has been opened, e being what the log has of that. */
void replay_shared_opened(struct task *t, int fd, const struct event *e)
{
    uint32_t mark = (open_flags(t) & O_ACCMODE) == O_RDONLY ? 0 : replay_shared_mark(e->record);
    if (mark)
        files_share(t->files, fd, mark);
}

static uint64_t size_in(const struct task *t, uint32_t mark)
{
    struct stat st;
    for (int i = 0; i < t->files->count; i++)
        if (files_shared(t->files, t->files->item[i].fd) == mark && stat_of_fd(t->tid, t->files->item[i].fd, &st))
            return (uint64_t)st.st_size;
    return UINT64_MAX;
}

/* Not while others have the file open that had closed it when recorded, or have not yet written to it what they had. */
bool replay_shared_may_open(struct task *t, const struct event *e)
{
    uint32_t mark = e->ordered && is_open(e->record) && is_redirection(e->record) ? mark_opened(e->record, false) : 0;
    if (!mark || !written[mark - 1].is_opened_by_many || has_shared_work(t))
        return true;
    const struct record *before = e->number ? events[e->number - 1].record : NULL;
    uint64_t had = before && is_join(before) ? before->args[4] : UINT64_MAX;
    for (struct task *other = tasks; other; other = other->next)
        if (other->alive && other->leader != t->leader && files_has_shared(other->files, mark) && size_in(other, mark) < had)
            return false;
    return true;
}

/* ------------------------------------------------------------------ turns */

static uint32_t birth_number(uint32_t task)
{
    static uint32_t *numbers, count;
    if (!numbers) {
        count = task_log_total();
        numbers = zalloc((count + 1) * sizeof *numbers);
        for (size_t i = 0; i < event_count; i++)
            if (events[i].record->call == EVENT_TASK)
                numbers[events[i].record->task] = events[i].number;
    }
    return task < count ? numbers[task] : 0;
}

static struct written *written_by(struct task *t)
{
    return &written[files_shared(t->files, written_descriptor(t)) - 1];
}

static struct event *next_write(struct task *t)
{
    struct written *w = written_by(t);
    while (w->head < w->count && w->event[w->head]->done)
        w->head++;
    return w->head < w->count ? w->event[w->head] : NULL;
}

/* The last event that the task has come to.  Joins are none that it comes to. */
static uint32_t last_number(const struct task_log *s)
{
    size_t i = s->cursor;
    while (i && is_join(s->event[i - 1]->record))
        i--;
    return i ? s->event[i - 1]->number : birth_number(s->index);
}

/* Whether a process writes what lies before the next write of the log, as nobody else could when recorded: the log does
 * not have that.  Since then others could, and the process has not come to where that began: something else that it did
 * before comes next, or the position shows it. */
static bool is_alone(struct task *t, const struct event *next)
{
    const struct event *own = replay_next(t);
    if (own && own->number < next->number && !has_shared_work(t) && !replay_is_pace(own->record->call))
        return true;
    return last_number(t->task_log) + 1 < next->record->args[5] && write_position(t, written_descriptor(t), false) < next->record->args[4];
}

static bool is_next_write(struct task *t, const struct event *e)
{
    const struct event *next = next_write(t);
    return !next || is_alone(t, next)
        || (next == e && e->record->task == t->task_log->index && write_position(t, written_descriptor(t), false) >= next->record->args[4]);
}

/* What is to happen before the call, or with it; NULL: it just runs.  Who writes what the log does not have writes after
 * all that others wrote, unless it was alone before that. */
struct event *replay_shared_event(struct task *t)
{
    if (!is_shared_write(t)) {
        const uint64_t args[2] = {(uint64_t)t->nr, t->args[0]};
        return replay_match(t, EVENT_SHARED, shared_key(args));
    }
    const uint64_t args[2] = {REX_NR_write, (uint64_t)written_descriptor(t)};
    struct event *e = replay_queue(t->task_log, EVENT_SHARED, shared_key(args));
    const struct written *w = written_by(t);
    return e || has_shared_work(t) || !w->count ? e : w->event[w->count - 1];
}

static bool is_for_all(const struct event *e)
{
    const struct record *r = e->record;
    return r->result >= 0 && (r->args[0] == REX_NR_flock ? r->args[4] & LOCK_SH : r->args[5] == F_RDLCK + 1);
}

/* Who wants another kind of lock than it has lets go of that first, and may then wait. */
static void let_go(struct task *t)
{
    char file[32], kind[8] = "";
    bool wants_all = t->args[1] & LOCK_SH;
    snprintf(file, sizeof file, "fdinfo/%d", (int)t->args[0]);
    proc_value(t->tid, file, "lock: %*d: FLOCK ADVISORY %7s", kind);
    int fd = *kind && wants_all != !strcmp(kind, "READ") ? borrow(t, (int)t->args[0]) : -1;
    if (fd >= 0) {
        flock(fd, LOCK_UN);
        close(fd);
    }
}

/* Whether other processes have had the file before, as when recorded.  Those that have it together, or let others
 * have it too, come in any order. */
bool replay_shared_ready(struct task *t, const struct event *e)
{
    if (!is_lock(e->record))
        return is_next_write(t, e);
    for (const struct event *b = e->before; b; b = b->before) {
        bool is_own = task_log_of(b->record->task)->tgid == t->task_log->tgid;
        if (!is_own && !b->done && !(is_for_all(b) && is_for_all(e))) {
            if (t->nr == REX_NR_flock)
                let_go(t);
            return false;
        }
        if (b->done && !is_for_all(b))
            break;
    }
    return true;
}

void replay_shared(struct task *t, struct event *e)
{
    struct user_regs_struct r = t->regs;
    struct event *next = is_lock(e->record) ? NULL : next_write(t);
    if (!is_lock(e->record) && (!next || is_alone(t, next) || e->record->task != t->task_log->index)) {
        t->matched = NULL;
        return;
    }
    if (e->record->result == -EWOULDBLOCK && t->nr == REX_NR_flock) {
        r.rsi = LOCK_UN;                  /* who tries for another kind of lock, and fails, has lost what it had */
        regs_set(t, &r);
        t->want_exit = true;
        return;
    }
    if (e->record->result < 0) {
        replay_send_with(t, e);
        skip_call(t, e->record->result);
        replay_done(e);
        return;
    }
    t->want_exit = true;
    if (!is_lock(e->record))
        return;
    if (t->nr == REX_NR_flock)
        r.rsi &= ~(ull)LOCK_NB;
    else if (r.rsi == F_SETLK || r.rsi == F_OFD_SETLK)
        r.rsi++;                          /* the same, and waits */
    regs_set(t, &r);
}

void replay_shared_exit(struct task *t, struct event *e, int64_t result)
{
    if (is_interrupted(result)) {
        rewind_call(t);
        return;
    }
    bool shares_work = !is_lock(e->record) && has_shared_work(t);      /* what a thread writes may be another's part */
    if (result != e->record->result && e->record->result >= 0 && !shares_work)
        replay_diverged(t, e, is_lock(e->record) ? "failed here" : "wrote another number of bytes");
    give_result(t, shares_work && result > 0 ? result : e->record->result);
    replay_done(e);
}

/* ------------------------------------------------------------------ what is locked */

bool replay_is_locked(const char *path)
{
    return table_get(&locked, path);
}

/* Files of equal content are one in the cache, as are all directories; other replays have them open too. */
char *replay_lock_file(const char *path, mode_t kind)
{
    static unsigned made;
    char **at = (char **)(replay_is_locked(path) ? table_at(&locked, path) : NULL);
    if (!at || (kind != S_IFDIR && replay_is_changed(path)))
        return NULL;
    if (!**at) {
        char *place = text("%s/lock%u", plan.work, made++), *file = overlay_read(path);
        int in = kind == S_IFDIR || !file ? -1 : open(file, O_RDONLY | O_CLOEXEC);
        int out = in < 0 ? -1 : open(place, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        bool good = kind == S_IFDIR ? !mkdir(place, 0700) : out >= 0 && copy_bytes(in, out);
        close(in);
        close(out);
        free(file);
        if (!good)
            return NULL;
        *at = place;
    }
    return strdup(*at);
}

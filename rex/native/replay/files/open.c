/* Replay: opening files, by names that the overlay gives. */
#include "base/base.h"
#include "cpu/cpu.h"
#include "log/log.h"
#include "replay/files/files.h"
#include "replay/files/internal.h"
#include "replay/index/index.h"
#include "replay/order/order.h"
#include "replay/rules/rules.h"
#include "replay/send/send.h"
#include "replay/tasks/tasks.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"
#include "track/track.h"

#include <fcntl.h>

static void open_for_real(struct task *t, const char *path, int flags, mode_t mode)
{
    struct user_regs_struct r = t->regs;
    r.orig_rax = REX_NR_openat;
    r.rdi = (ull)AT_FDCWD;
    r.rsi = scratch_put(t, path, strlen(path) + 1);
    r.rdx = (ull)(flags & ~(O_NOATIME | O_NOFOLLOW | (file_state(t)->not_direct ? O_DIRECT : 0)));
    file_state(t)->not_direct = false;
    r.r10 = mode;
    regs_set(t, &r);
    t->want_exit = true;
}

static bool is_writing(int flags)
{
    return flags & (O_CREAT | O_TRUNC) || (flags & O_ACCMODE) != O_RDONLY;
}

/* The substitute for an external source or sink: writes to the terminal go where the engine's own go. */
static char *stand_in(uint32_t stream)
{
    return stream == 2 || stream == 3 ? text("/proc/%d/fd/%u", getpid(), stream - 1) : strdup("/dev/null");
}

/* A standard stream that is opened by name: a plain file as it was, else at the end of what is there, for all who write. */
static int stand_in_flags(const struct record *r, int flags)
{
    int fd = (int)r->stream - 1, kept = O_CLOEXEC | O_NONBLOCK;
    if (fd != 1 && fd != 2)
        return (flags & kept) | O_RDWR;
    if (replay_kind_of(r) == S_IFREG)
        return (flags & (kept | O_APPEND | O_TRUNC)) | O_WRONLY;
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_APPEND);
    return (flags & kept) | O_WRONLY | O_APPEND;
}

static char *directory_of(const char *path)
{
    char *copy = strdup(path), *slash = strrchr(copy, '/');
    if (slash && slash != copy)
        *slash = 0;
    return copy;
}

static char *file_to_read(const char *path)
{
    if (replay_is_changed(path))
        free(overlay_write(path, false)); /* so that what is written later is seen through it */
    return overlay_read(path);
}

static char *file_for(struct task *t, const char *path, mode_t kind, int flags)
{
    char *inside, *made;
    if (overlay_is_kernel_device(path))
        return strdup(path);
    if ((flags & O_TMPFILE) == O_TMPFILE) {
        char *place = text("%s/x", path), *parent;
        parent = directory_of(path);      /* "/dir/#1234 (deleted)" */
        free(place);
        place = text("%s/x", parent);
        made = overlay_write(place, true);
        inside = directory_of(made);
        free(made);
        free(place);
        free(parent);
        return inside;
    }
    if ((inside = replay_nameless(t, path)))
        return inside;
    if (!is_writing(flags) && (inside = replay_lock_file(path, kind)))
        return inside;
    if (kind == S_IFDIR)
        return replay_directory(t);       /* it is listed from the log */
    if (is_writing(flags))
        return overlay_write(path, flags & O_TRUNC);
    if (!kind && (made = overlay_made(path)))
        return made;
    return file_to_read(path);
}

/* e: NULL where the log has no such open; then only files of that very name exist, archived or made. */
void replay_open(struct task *t, struct event *e)
{
    int flags = open_flags(t);
    if (e && e->record->result < 0) {
        replay_emulate(t, e);
        return;
    }
    if (!scratch_ready(t))
        return;
    char *resolved = e ? record_text(e->record, FIELD_WHOLE, FIELD_RESOLVED) : replay_opened_name(t);
    char *file = NULL;
    if (e && e->record->stream) {
        file = stand_in(e->record->stream);
        flags = stand_in_flags(e->record, flags);
    } else if (resolved)
        file = file_for(t, resolved, e ? replay_kind_of(e->record) : 0, flags);
    file_state(t)->opening = file ? hash_bytes(file, strlen(file), 0) : 0;
    bool may_be_made = e && e->file;          /* by the stub, as another descriptor than the log's */
    if (file && flags & O_CREAT && (make_closed_file(file, masked(t, open_mode(t))) || may_be_made))
        flags &= ~O_EXCL;
    if (file)
        open_for_real(t, file, flags, open_mode(t));
    else {
        if (e)
            replay_diverged(t, e, "the file is not in the archive");
        skip_call(t, -ENOENT);
        if (e)
            replay_done(e);
    }
    free(resolved);
    free(file);
}

/* The kernel has opened the substitute. */
void replay_file_opened(struct task *t, struct event *e, int fd)
{
    files_open(t->files, fd, e, file_state(t)->opening);
    t->files->opened[fd].again = e->done;
    replay_note_made(t, fd);
    if (replay_kind_of(e->record) == S_IFDIR)
        replay_note_directory(t, fd);
    replay_group_opened(t, e->record);
    if (e->record->stream)
        return;
    replay_results_opened(t, fd, e);
    replay_shared_opened(t, fd, e);
    if (t->path)
        random_opened(t, fd, t->path);
}

/* The substitute for a file that was opened for reading.  A file that the experiment changes has one only while it is in its state of that time. */
char *replay_stands_in(const struct record *r, bool is_changed)
{
    char *path = record_text(r, FIELD_WHOLE, FIELD_RESOLVED);
    mode_t kind = replay_kind_of(r);
    bool is_plain = path && *path == '/' && !r->stream && !is_writing((int)r->args[2])
        && !((int)r->args[2] & (O_PATH | O_TMPFILE) & ~O_DIRECTORY) && !replay_is_deleted(path) && !random_concerns(path)
        && !replay_is_locked(path);
    char *file = NULL;
    if (is_plain && kind == S_IFREG && is_changed)
        file = file_to_read(path);
    else if (is_plain) {
        const char *kept = kind == S_IFDIR ? plan.empty : kind == S_IFREG ? overlay_original(path) : NULL;
        file = kept ? strdup(kept) : NULL;
    }
    free(path);
    return file;
}

/* Where the stub opens a file to write, and makes it: one of the replay's own.  NULL: it is opened at a stop, as it is archived, or more is to be done. */
char *replay_writes_to(const struct record *r)
{
    enum { SPECIAL = (O_PATH | O_TMPFILE | O_DIRECT) & ~O_DIRECTORY };
    char *path = record_text(r, FIELD_WHOLE, FIELD_RESOLVED);
    bool is_plain = path && *path == '/' && !r->stream && replay_kind_of(r) == S_IFREG && is_writing((int)r->args[2]) && !((int)r->args[2] & SPECIAL)
        && !replay_is_deleted(path) && !upper_is_long(path);
    bool has_more = is_plain && (replay_is_locked(path) || replay_shared_mark(r) || replay_is_bounded(path) || replay_is_memory(path) || overlay_is_archived(path));
    char *file = is_plain && !has_more ? overlay_write(path, false) : NULL;
    free(path);
    return file;
}

/* What the stub leaves to do of an open.  The file may be closed by now. */
void replay_finish_open(struct task *t, const struct event *e, int fd)
{
    struct stat st = replay_stat_in(e->record);
    if (!(e->record->args[2] & O_CREAT))
        return;
    if ((st.st_mode & OPEN_TO_OWNER) != OPEN_TO_OWNER)
        set_mode(e->file, st.st_mode & 07777);
    replay_note_made_by_ring(t, e, fd);
}

/* ------------------------------------------------------------------ what the first process inherited */

/* Plain files: in the log as opens before it executes. */
static struct event *inherited_open(size_t i)
{
    const struct task_log *s = task_log_of(0);
    return i < s->count && s->event[i]->record->call == REX_NR_openat ? s->event[i] : NULL;
}

static char *inherited_file(const struct event *e)
{
    char *path = record_text(e->record, FIELD_WHOLE, FIELD_RESOLVED);
    char *file = (e->record->args[2] & O_ACCMODE) == O_RDONLY ? overlay_read(path) : overlay_write(path, false);
    free(path);
    return file;
}

void replay_inherited_start(void)
{
    for (size_t i = 0; inherited_open(i); i++)
        replay_done(inherited_open(i));
}

/* In the process itself, before it executes. */
void replay_inherit(void)
{
    struct event *e;
    for (size_t i = 0; (e = inherited_open(i)); i++) {
        const struct record *r = e->record;
        char *file = inherited_file(e);
        int made = r->args[5] ? -1 : file ? open(file, (int)r->args[2]) : -1, fd = (int)r->result;
        if (r->args[5])
            dup2((int)r->args[5], fd);
        else if (made >= 0) {
            lseek(made, (off_t)r->args[4], SEEK_SET);
            if (made != fd) {
                dup2(made, fd);
                close(made);
            }
        }
        free(file);
    }
}

void replay_inherited(struct task *t)
{
    struct event *e;
    for (size_t i = 0; (e = inherited_open(i)); i++) {
        char *file = inherited_file(e);
        t->nr = REX_NR_openat;
        memcpy(t->args, e->record->args, sizeof t->args);
        file_state(t)->opening = file ? hash_bytes(file, strlen(file), 0) : 0;
        replay_file_opened(t, e, (int)e->record->result);
        free(file);
    }
}

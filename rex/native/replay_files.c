/* Replay: opening files and executing programs, by names that the overlay gives. */
#include "engine.h"
#include "fast.h"

#include <fcntl.h>
#include <sys/sysmacros.h>

static struct stat stat_in(const struct record *opened)
{
    const struct field *f = record_field(opened, FIELD_WHOLE, FIELD_STAT);
    struct stat st = {0};
    if (f && f->length >= sizeof st)
        memcpy(&st, f->data, sizeof st);
    return st;
}

mode_t replay_kind_of(const struct record *r)
{
    return stat_in(r).st_mode & S_IFMT;
}

bool replay_is_random_device(const struct files *f, int fd)
{
    const struct opened *o = files_opened(f, fd);
    struct stat st = o && o->event ? stat_in(o->event->record) : (struct stat){0};
    return is_random_device(&st);
}

static void open_for_real(struct task *t, const char *path, int flags, mode_t mode)
{
    struct user_regs_struct r = t->regs;
    r.orig_rax = REX_NR_openat;
    r.rdi = (ull)AT_FDCWD;
    r.rsi = replay_block_at(t, path, strlen(path) + 1);
    r.rdx = (ull)(flags & ~(O_NOATIME | O_NOFOLLOW | O_DIRECT));
    r.r10 = mode;
    regs_set(t, &r);
    t->want_exit = true;
}

static bool is_writing(int flags)
{
    return flags & (O_CREAT | O_TRUNC) || (flags & O_ACCMODE) != O_RDONLY;
}

/* What stands in for a source or sink outside: writes to the terminal go where ours go. */
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
    if (!replay_scratch(t))
        return;
    char *resolved = e ? record_text(e->record, FIELD_WHOLE, FIELD_RESOLVED) : replay_opened_name(t);
    char *file = NULL;
    if (e && e->record->stream) {
        file = stand_in(e->record->stream);
        flags = stand_in_flags(e->record, flags);
    } else if (resolved)
        file = file_for(t, resolved, e ? replay_kind_of(e->record) : 0, flags);
    t->opening = file ? hash_bytes(file, strlen(file), 0) : 0;
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

/* The kernel has opened what stands in for it. */
void replay_file_opened(struct task *t, struct event *e, int fd)
{
    files_open(t->files, fd, e, t->opening);
    t->files->opened[fd].again = e->done;
    replay_note_made(t, fd);
    if (replay_kind_of(e->record) == S_IFDIR)
        replay_note_directory(t, fd);
    replay_kin_opened(t, e->record);
    if (e->record->stream)
        return;
    replay_shared_opened(t, fd, e);
    if (t->path)
        random_opened(t, fd, t->path);
}

/* ------------------------------------------------------------------ what the first process inherited */

/* Plain files: in the log as opens before it executes. */
static struct event *inherited_open(size_t i)
{
    const struct script *s = script_of(0);
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
        t->opening = file ? hash_bytes(file, strlen(file), 0) : 0;
        replay_file_opened(t, e, (int)e->record->result);
        free(file);
    }
}

/* ------------------------------------------------------------------ what is told of files */

static bool is_of_file(const struct event *e, const struct field *f)
{
    const struct field *told = record_field(e->record, FIELD_WHOLE, FIELD_OUT);
    struct stat a, b;
    if (!told || told->length < sizeof a || f->length < sizeof b)
        return false;
    memcpy(&a, told->data, sizeof a);
    memcpy(&b, f->data, sizeof b);
    return a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

/* What stands in for a file that was opened for reading: what the experiment changes only has one where it is as it is to be by then. */
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

static bool is_statx_of(const struct event *e, const void *stat_field)
{
    const struct field *told = record_field(e->record, 4, FIELD_OUT), *f = stat_field;
    struct statx x;
    struct stat st;
    if (!told || told->length < sizeof x)
        return false;
    memcpy(&x, told->data, sizeof x);
    memcpy(&st, f->data, sizeof st);
    return x.stx_ino == st.st_ino && makedev(x.stx_dev_major, x.stx_dev_minor) == st.st_dev;
}

/* The same as statx tells it: as any thread was told of the file, else from the facts that its open has. */
static void tell_statx(struct task *t, const struct field *f)
{
    const struct event *e = replay_find(t, t->nr, call_key(call_of(t->nr), t->nr, t->path, 0, t->args), is_statx_of, f);
    struct statx x = {.stx_mask = STATX_BASIC_STATS};
    struct stat st, now;
    memcpy(&st, f->data, sizeof st);
    if (e)
        memcpy(&x, record_field(e->record, 4, FIELD_OUT)->data, sizeof x);
    else
        x = (struct statx){.stx_mask = STATX_BASIC_STATS, .stx_blksize = (unsigned)st.st_blksize, .stx_nlink = (unsigned)st.st_nlink,
            .stx_uid = st.st_uid, .stx_gid = st.st_gid, .stx_mode = (uint16_t)st.st_mode, .stx_ino = st.st_ino,
            .stx_size = (ull)st.st_size, .stx_blocks = (ull)st.st_blocks,
            .stx_atime = {.tv_sec = st.st_atim.tv_sec, .tv_nsec = (unsigned)st.st_atim.tv_nsec},
            .stx_mtime = {.tv_sec = st.st_mtim.tv_sec, .tv_nsec = (unsigned)st.st_mtim.tv_nsec},
            .stx_ctime = {.tv_sec = st.st_ctim.tv_sec, .tv_nsec = (unsigned)st.st_ctim.tv_nsec},
            .stx_dev_major = major(st.st_dev), .stx_dev_minor = minor(st.st_dev)};
    if (S_ISREG(st.st_mode) && stat_of_fd(t->tid, (int)t->args[0], &now))
        x.stx_size = (ull)now.st_size;    /* of its copy, as far as it is written */
    mem_write(t->tid, t->args[4], &x, sizeof x);
    skip_call(t, 0);
}

bool is_nameless_stat(const struct task *t)
{
    return t->nr == REX_NR_newfstatat && t->path && !*t->path && t->args[3] & AT_EMPTY_PATH;
}

/* Threads open files in any order, so that equal descriptors are not equal files: what the
 * log has for a descriptor may be another file's. The open itself has the file's stat. */
bool replay_own_stat(struct task *t)
{
    bool by_at = is_nameless_stat(t), by_x = t->nr == REX_NR_statx && t->path && !*t->path && t->args[2] & AT_EMPTY_PATH;
    if (!has_shared_work(t) || !(by_at || by_x || t->nr == REX_NR_fstat))
        return false;
    const struct opened *o = replay_opened(t, (int)t->args[0]);
    const struct field *f = o && o->event ? record_field(o->event->record, FIELD_WHOLE, FIELD_STAT) : NULL;
    if (!f || f->length < sizeof(struct stat) || o->file != file_of_fd(t->tid, (int)t->args[0]))
        return false;
    if (by_x) {
        tell_statx(t, f);
        return true;
    }
    char *path = record_text(o->event->record, FIELD_WHOLE, FIELD_RESOLVED);
    bool changes = replay_is_changed(path) && replay_kind_of(o->event->record) != S_IFDIR;
    free(path);
    if (changes && is_single(t) && t->matched && is_of_file(t->matched, f))
        return false;                     /* of this very file, and nobody else may have changed it */
    if (changes) {                        /* its copy has its size now, and another identity */
        const struct field *told = t->matched ? record_field(t->matched->record, FIELD_WHOLE, FIELD_OUT) : NULL;
        t->stat_as = told && is_of_file(t->matched, f) ? told : f;
        t->want_exit = true;
    } else {
        mem_write(t->tid, t->args[1 + by_at], f->data, f->length);
        skip_call(t, 0);
    }
    return true;
}

/* What a call of the log that asked for a descriptor told of it, 0 if it is none. */
static mode_t told_kind(const struct event *e)
{
    bool by_at = e->record->call == REX_NR_newfstatat;
    const struct field *name = record_field(e->record, 1, FIELD_IN), *f = record_field(e->record, 1 + by_at, FIELD_OUT);
    struct stat st;
    if ((!by_at && e->record->call != REX_NR_fstat) || (by_at && (!name || name->length)) || !f || f->length < sizeof st)
        return 0;
    memcpy(&st, f->data, sizeof st);
    return st.st_mode & S_IFMT;
}

/* A pipe is the same whenever it is looked at: how often depends on how much a read of it takes. */
bool replay_is_pipe_stat(const struct event *e)
{
    return told_kind(e) == S_IFIFO;
}

/* Threads race for descriptors, and pipes and sockets have no names: what the log has for one of them is as good
 * for another.  e: what it has for that number. */
struct event *replay_nameless_stat(struct task *t, struct event *e)
{
    enum { FAR = 4096 };
    struct event *found = NULL;
    bool by_fd = t->nr == REX_NR_fstat || is_nameless_stat(t);
    char *link = by_fd && (has_shared_work(t) || !e) && files_stream(t->files, (int)t->args[0]) - 1 > 2 ? link_of_fd(t->tid, (int)t->args[0]) : NULL;
    mode_t kind = !link ? 0 : !strncmp(link, "pipe:", 5) ? S_IFIFO : !strncmp(link, "socket:", 7) ? S_IFSOCK : 0;
    free(link);
    if (!kind || (e && told_kind(e) == kind))
        return e;
    for (uint32_t i = 0; i < script_total(); i++) {
        const struct script *s = script_of(i);
        size_t from = s->cursor > FAR ? s->cursor - FAR : 0;
        for (size_t k = from; replay_is_mate(t, s) && k < s->count && k < s->cursor + FAR; k++)
            if (s->event[k]->record->call == t->nr && told_kind(s->event[k]) == kind
                && (!found || (found->done && !s->event[k]->done)))
                found = s->event[k];
    }
    return found ? found : e;         /* the log's once more, where it has none left */
}

/* The kernel has told of the copy: it is to be the file that it stands for. */
void replay_own_stat_exit(struct task *t)
{
    uint64_t at = t->args[t->nr == REX_NR_newfstatat ? 2 : 1];
    struct stat was, now;
    memcpy(&was, t->stat_as->data, sizeof was);
    t->stat_as = NULL;
    if (!mem_read(t->tid, at, &now, sizeof now))
        return;
    if (was.st_size != now.st_size) {     /* else it is what the log has, with its times */
        was.st_size = now.st_size;
        was.st_blocks = now.st_blocks;
        was.st_mtim = now.st_mtim;
        was.st_ctim = now.st_ctim;
    }
    mem_write(t->tid, at, &was, sizeof was);
}

/* ------------------------------------------------------------------ programs */

/* Threads race for the numbers of descriptors, which a child may be told. */
static bool has_other_arguments(struct task *t, const struct record *r)
{
    int at = name_args(t->nr).path + 1;
    const struct field *f = record_field(r, (uint8_t)(name_args(r->call).path + 1), FIELD_ARGV);
    struct bytes now = {0};
    mem_strings(t->tid, t->args[at], &now);
    bool differs = f && (f->length != now.used || memcmp(f->data, now.data, now.used));
    bytes_free(&now);
    return differs;
}

/* Where the program is that a descriptor stands for; NULL: it is named. */
static char *held_program(const struct task *t)
{
    bool is_held = t->nr == REX_NR_execveat && t->path && !*t->path;
    return is_held ? text("/proc/%d/fd/%d", t->leader->tid, (int)t->args[0]) : NULL;
}

void replay_exec(struct task *t, struct event *e)
{
    if (e->record->result < 0) {
        replay_emulate(t, e);
        return;
    }
    if (!replay_scratch(t))
        return;
    char *resolved = record_text(e->record, FIELD_WHOLE, FIELD_RESOLVED);
    char *loader = record_text(e->record, FIELD_WHOLE, FIELD_LOADER);
    char *held = held_program(t), *file = resolved ? overlay_program(resolved, loader, held) : NULL;
    if (!file) {
        replay_diverged(t, e, "the program is not in the archive");
        skip_call(t, -ENOENT);
        replay_done(e);
    } else {
        int first = t->nr == REX_NR_execveat ? 2 : 1;
        t->has_own_arguments = has_other_arguments(t, e->record);
        struct user_regs_struct r = t->regs;
        r.orig_rax = REX_NR_execve;
        r.rdi = replay_block_at(t, file, strlen(file) + 1);
        r.rsi = t->args[first];
        r.rdx = t->args[first + 1];
        regs_set(t, &r);
        t->want_exit = true;
    }
    free(resolved);
    free(loader);
    free(held);
    free(file);
}

void replay_execed(struct task *t)
{
    const struct record *r = t->matched ? t->matched->record : NULL;
    const struct field *f = r ? record_field(r, FIELD_WHOLE, FIELD_STACK) : NULL;
    struct stack live = {0};
    if (f && t->has_own_arguments)
        stack_adopt(t, f->data, f->length);
    else if (f)
        stack_restore(t, r->args[3], f->data, f->length);
    if (stack_read(t, &live))
        stack_hide_vdso(t, &live);
    bytes_free(&live.image);
    if (t->matched)
        replay_done(t->matched);
}

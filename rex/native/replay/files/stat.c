/* Replay: stat of a file that the program has open gives the facts of the recorded one. */
#include "base/base.h"
#include "log/log.h"
#include "replay/files/files.h"
#include "replay/files/internal.h"
#include "replay/index/index.h"
#include "replay/match/match.h"
#include "replay/order/order.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <fcntl.h>
#include <sys/sysmacros.h>

static bool is_of_file(const struct event *e, const struct field *f)
{
    const struct field *logged = record_field(e->record, FIELD_WHOLE, FIELD_OUT);
    struct stat a, b;
    if (!logged || logged->length < sizeof a || f->length < sizeof b)
        return false;
    memcpy(&a, logged->data, sizeof a);
    memcpy(&b, f->data, sizeof b);
    return a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

static bool is_statx_of(const struct event *e, const void *stat_field)
{
    const struct field *logged = record_field(e->record, 4, FIELD_OUT), *f = stat_field;
    struct statx x;
    struct stat st;
    if (!logged || logged->length < sizeof x)
        return false;
    memcpy(&x, logged->data, sizeof x);
    memcpy(&st, f->data, sizeof st);
    return x.stx_ino == st.st_ino && makedev(x.stx_dev_major, x.stx_dev_minor) == st.st_dev;
}

/* The same as statx gives for it: what any thread saw of the file, else the facts that its open has. */
static void give_statx(struct task *t, const struct field *f)
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
    bool by_x = arg_of(t->nr, REX_WORD_STATX) >= 0 && t->path && !*t->path && lookup_flags(t->nr, t->args) & AT_EMPTY_PATH;
    if (!has_shared_work(t) || !(by_x || queries_descriptor(t)))
        return false;
    const struct opened *o = replay_opened(t, (int)t->args[0]);
    const struct field *f = o && o->event ? record_field(o->event->record, FIELD_WHOLE, FIELD_STAT) : NULL;
    if (!f || f->length < sizeof(struct stat) || o->file != file_of_fd(t->tid, (int)t->args[0]))
        return false;
    if (by_x) {
        give_statx(t, f);
        return true;
    }
    char *path = record_text(o->event->record, FIELD_WHOLE, FIELD_RESOLVED);
    bool changes = replay_is_changed(path) && replay_kind_of(o->event->record) != S_IFDIR;
    free(path);
    if (changes && is_single(t) && t->matched && is_of_file(t->matched, f))
        return false;                     /* of this very file, and nobody else may have changed it */
    if (changes) {                        /* its copy has its size now, and another identity */
        const struct field *logged = t->matched ? record_field(t->matched->record, FIELD_WHOLE, FIELD_OUT) : NULL;
        file_state(t)->stat_as = logged && is_of_file(t->matched, f) ? logged : f;
        t->want_exit = true;
    } else {
        mem_write(t->tid, t->args[arg_of(t->nr, REX_WORD_STAT)], f->data, f->length);
        skip_call(t, 0);
    }
    return true;
}

/* Threads race for descriptors, and pipes and sockets have no names: what the log has for one of them is as good
 * for another.  e: what it has for that number. */
struct event *replay_nameless_stat(struct task *t, struct event *e)
{
    enum { FAR = 4096 };
    struct event *found = NULL;
    char *link = queries_descriptor(t) && (has_shared_work(t) || !e) && files_stream(t->files, (int)t->args[0]) - 1 > 2 ? link_of_fd(t->tid, (int)t->args[0]) : NULL;
    mode_t kind = !link ? 0 : !strncmp(link, "pipe:", 5) ? S_IFIFO : !strncmp(link, "socket:", 7) ? S_IFSOCK : 0;
    free(link);
    if (!kind || (e && replay_stat_kind(e) == kind))
        return e;
    for (uint32_t i = 0; i < task_log_total(); i++) {
        const struct task_log *s = task_log_of(i);
        size_t from = s->cursor > FAR ? s->cursor - FAR : 0;
        for (size_t k = from; replay_is_sibling(t, s) && k < s->count && k < s->cursor + FAR; k++)
            if (s->event[k]->record->call == t->nr && replay_stat_kind(s->event[k]) == kind
                && (!found || (found->done && !s->event[k]->done)))
                found = s->event[k];
    }
    return found ? found : e;         /* the log's once more, where it has none left */
}

/* The kernel has described the copy: the program must see the file that the copy replaces. */
bool replay_own_stat_exit(struct task *t)
{
    struct stat was, now;
    if (!file_state(t)->stat_as)
        return false;
    uint64_t at = t->args[arg_of(t->nr, REX_WORD_STAT)];
    memcpy(&was, file_state(t)->stat_as->data, sizeof was);
    file_state(t)->stat_as = NULL;
    if (!mem_read(t->tid, at, &now, sizeof now))
        return true;
    if (was.st_size != now.st_size) {     /* else it is what the log has, with its times */
        was.st_size = now.st_size;
        was.st_blocks = now.st_blocks;
        was.st_mtim = now.st_mtim;
        was.st_ctim = now.st_ctim;
    }
    mem_write(t->tid, at, &was, sizeof was);
    return true;
}

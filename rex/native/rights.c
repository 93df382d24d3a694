/* Descriptors that processes hand to each other over sockets that are stood in for in a replay.
 *
 * The log tells which files they were.  In a replay the tracer keeps what one hands over until the
 * other takes it, and has it opened there: the file is the same, the position in it is not shared.  Sockets that are
 * made again hand over themselves. */
#include "engine.h"

#include <fcntl.h>
#include <sys/socket.h>

enum { MOST = 64, LARGEST = 4096, ABOUT = 1 | PART_CONTROL };

struct rights { size_t count; int fd[MOST]; uint64_t at[MOST]; };   /* where each number lies in the tracee */

static struct sent { const struct event *by; size_t count; int fd[MOST]; } *kept;
static size_t kept_count;

/* The descriptors in the control part of the message of t's call. */
static struct rights rights_in(struct task *t)
{
    struct rights r = {0};
    struct msghdr m;
    unsigned char control[LARGEST];
    if (!mem_read(t->tid, t->args[1], &m, sizeof m) || !m.msg_controllen || m.msg_controllen > sizeof control
        || !mem_read(t->tid, (uint64_t)m.msg_control, control, m.msg_controllen))
        return r;
    struct cmsghdr c;
    for (size_t at = 0; at + sizeof c <= m.msg_controllen; at += CMSG_ALIGN(c.cmsg_len)) {
        memcpy(&c, control + at, sizeof c);
        if (c.cmsg_len < sizeof c || c.cmsg_len > m.msg_controllen - at)
            break;
        bool passes = c.cmsg_level == SOL_SOCKET && c.cmsg_type == SCM_RIGHTS;
        for (size_t i = at + sizeof c; passes && i + sizeof(int) <= at + c.cmsg_len && r.count < MOST; i += sizeof(int)) {
            memcpy(&r.fd[r.count], control + i, sizeof(int));
            r.at[r.count++] = (uint64_t)m.msg_control + i;
        }
    }
    return r;
}

/* ------------------------------------------------------------------ record */

/* The stream of an external file that some task has already. */
static uint32_t stream_known(const struct stat *st)
{
    for (struct task *t = tasks; t; t = t->next)
        for (int i = 0; t->alive && i < t->files->count; i++) {
            struct stat other;
            if (stat_of_fd(t->tid, t->files->item[i].fd, &other) && other.st_ino == st->st_ino && other.st_dev == st->st_dev)
                return files_stream(t->files, t->files->item[i].fd);
        }
    return 0;
}

/* What each of them is; of those received, the stream where it is external. */
void record_rights(struct task *t, struct bytes *b)
{
    struct rights r = rights_in(t);
    uint32_t streams[MOST] = {0};
    for (size_t i = 0; i < r.count; i++) {
        char *path = path_of_fd(t->tid, r.fd[i]);
        struct stat st = {0};
        if (!path || !stat_of_fd(t->tid, r.fd[i], &st)) {
            free(path);
            return;
        }
        log_field(b, ABOUT, FIELD_RESOLVED, path, strlen(path));
        log_field(b, ABOUT, FIELD_STAT, &st, sizeof st);
        if (t->nr == REX_NR_recvmsg) {
            uint32_t known = stream_known(&st);
            streams[i] = known ? known : record_received(path, &st);
            files_set(t->files, r.fd[i], streams[i]);
        }
        free(path);
    }
    if (r.count && t->nr == REX_NR_recvmsg)
        log_field(b, ABOUT, FIELD_IN, streams, r.count * sizeof *streams);
}

/* ------------------------------------------------------------------ replay */

static const struct field *about(const struct record *r, uint8_t type, size_t which)
{
    for (const struct field *f = field_next(r, NULL); f; f = field_next(r, f))
        if (f->arg == ABOUT && f->type == type && which-- == 0)
            return f;
    return NULL;
}

static bool same_file(const struct record *a, const struct record *b)
{
    const struct field *f = about(a, FIELD_STAT, 0), *g = about(b, FIELD_STAT, 0);
    struct stat s, t;
    if (!f || !g || f->length < sizeof s || g->length < sizeof t)
        return false;
    memcpy(&s, f->data, sizeof s);
    memcpy(&t, g->data, sizeof t);
    return s.st_ino == t.st_ino && s.st_dev == t.st_dev;
}

static bool hands_over(const struct event *e, long nr)
{
    return e->record->call == nr && e->record->result >= 0 && about(e->record, FIELD_STAT, 0);
}

/* Who receives waits for who sends: the first that has sent this file and is not yet waited for,
 * though a call that receives may have been seen to return before the one that sends. */
void replay_rights_start(void)
{
    struct event **sent = NULL;
    size_t count = 0;
    for (size_t i = 0; i < event_count; i++)
        if (hands_over(&events[i], REX_NR_sendmsg)) {
            sent = grow(sent, count, sizeof *sent);
            sent[count++] = &events[i];
        }
    for (size_t i = 0; i < event_count && count; i++)
        for (size_t k = 0; k < count && hands_over(&events[i], REX_NR_recvmsg) && !events[i].before; k++)
            if (sent[k] && same_file(sent[k]->record, events[i].record)) {
                events[i].before = sent[k];
                sent[k] = NULL;
            }
    free(sent);
}

/* A call that sends is answered: what it hands over is kept. */
void replay_rights_sent(struct task *t, const struct event *e)
{
    struct rights r = rights_in(t);
    if (!r.count || !about(e->record, FIELD_STAT, 0))
        return;
    kept = grow(kept, kept_count, sizeof *kept);
    struct sent *s = &kept[kept_count++];
    *s = (struct sent){.by = e, .count = r.count};
    for (size_t i = 0; i < r.count; i++)
        s->fd[i] = borrow(t, r.fd[i]);
}

static struct sent *kept_by(const struct event *e)
{
    for (size_t i = 0; e && i < kept_count; i++)
        if (kept[i].by == e)
            return &kept[i];
    return NULL;
}

static void drop(struct sent *s)
{
    for (size_t i = 0; i < s->count; i++)
        close(s->fd[i]);
    *s = kept[--kept_count];
}

static void installed(struct task *t, int64_t result)
{
    int fd = (int)result;
    bytes_add(&t->received, &fd, sizeof fd);
}

static uint32_t stream_of_right(const struct record *r, size_t i)
{
    const struct field *f = about(r, FIELD_IN, 0);
    uint32_t stream = 0;
    if (f && (i + 1) * sizeof stream <= f->length)
        memcpy(&stream, f->data + i * sizeof stream, sizeof stream);
    return stream;
}

/* What to open in its place. */
static char *source(const struct event *e, size_t i, int *flags)
{
    struct sent *s = kept_by(e->before);
    const struct field *path = about(e->record, FIELD_RESOLVED, i);
    *flags = O_RDWR;
    if (stream_of_right(e->record, i) || !path)
        return strdup("/dev/null");
    if (s && i < s->count && s->fd[i] >= 0) {
        *flags = fcntl(s->fd[i], F_GETFL) & (O_ACCMODE | O_NONBLOCK | O_APPEND);
        return text("/proc/%d/fd/%d", getpid(), s->fd[i]);
    }
    *flags = O_RDONLY;
    char *name = strndup((const char *)path->data, path->length), *file = overlay_read(name);
    free(name);
    return file ? file : strdup("/dev/null");
}

static void finish(struct task *t, struct event *e)
{
    struct sent *s = kept_by(e->before);
    size_t count = t->received.used / sizeof(int);
    int fd[MOST];
    memcpy(fd, t->received.data, count * sizeof *fd);
    t->received.used = 0;
    replay_emulate(t, e);
    struct rights r = rights_in(t);
    for (size_t i = 0; i < count && i < r.count; i++) {
        if (fd[i] < 0)
            replay_diverged(t, e, "what was handed over cannot be opened");
        mem_write(t->tid, r.at[i], &fd[i], sizeof *fd);
        files_set(t->files, fd[i], stream_of_right(e->record, i));
    }
    if (s)
        drop(s);
}

/* Whether the call receives descriptors: each is opened by a call before it. */
bool replay_rights_received(struct task *t, struct event *e)
{
    size_t done = t->received.used / sizeof(int);
    int flags;
    if (!about(e->record, FIELD_STAT, 0) || !about(e->record, FIELD_IN, 0))
        return false;
    if (done == MOST || !about(e->record, FIELD_STAT, done)) {
        finish(t, e);
        return true;
    }
    if (!replay_scratch(t))
        return true;
    char *file = source(e, done, &flags);
    flags |= t->args[2] & MSG_CMSG_CLOEXEC ? O_CLOEXEC : 0;
    const uint64_t args[6] = {(uint64_t)AT_FDCWD, replay_block_at(t, file, strlen(file) + 1), (uint64_t)flags};
    insert_call(t, REX_NR_openat, args, installed);
    free(file);
    return true;
}

/* ------------------------------------------------------------------ over sockets that are made again */

static struct table marks;               /* by file: what its descriptors are to us */

void replay_rights_leave(struct task *t)
{
    struct rights r = rights_in(t);
    struct stat st;
    for (size_t i = 0; i < r.count; i++)
        if (stat_of_fd(t->tid, r.fd[i], &st))
            *table_at_file(&marks, st.st_dev, st.st_ino) = (void *)(uintptr_t)files_mark(t->files, r.fd[i]);
}

void replay_rights_arrive(struct task *t)
{
    struct rights r = rights_in(t);
    struct stat st;
    for (size_t i = 0; i < r.count; i++)
        if (stat_of_fd(t->tid, r.fd[i], &st))
            files_set(t->files, r.fd[i], (uint32_t)(uintptr_t)*table_at_file(&marks, st.st_dev, st.st_ino));
}

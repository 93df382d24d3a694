/* Replay: descriptors that processes pass over substitute sockets (SCM_RIGHTS).
 *
 * The log names their files.  The tracer keeps a passed descriptor until its receiver takes it, and then sends it on
 * over the substitute socket, so that the receiver's own call takes it.  Internal sockets pass descriptors themselves. */
#include "base/base.h"
#include "log/log.h"
#include "replay/files/files.h"
#include "replay/index/index.h"
#include "replay/net/internal.h"
#include "replay/net/net.h"
#include "replay/rules/rules.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"
#include "track/track.h"

#include <sys/un.h>

#include <sys/socket.h>

#include <fcntl.h>

enum { ABOUT = 1 | PART_CONTROL };

static struct sent { const struct event *by; size_t count; int fd[MOST_RIGHTS]; } *kept;
static size_t kept_count;

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

static uint32_t stream_of_right(const struct record *r, size_t i)
{
    const struct field *f = about(r, FIELD_IN, 0);
    uint32_t stream = 0;
    if (f && (i + 1) * sizeof stream <= f->length)
        memcpy(&stream, f->data + i * sizeof stream, sizeof stream);
    return stream;
}

/* Nobody of the experiment has sent it: its substitute. */
static int stand_in(const struct event *e, size_t i)
{
    const struct field *path = about(e->record, FIELD_RESOLVED, i);
    if (stream_of_right(e->record, i) || !path)
        return socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    char *name = strndup((const char *)path->data, path->length), *file = overlay_read(name);
    int fd = open(file ? file : "/dev/null", O_RDONLY | O_CLOEXEC);
    free(name);
    free(file);
    return fd;
}

/* The tracer's end of a substitute socket that is not connected yet. */
static int end_of(int socket_fd)
{
    static struct table ends;
    struct stat st;
    struct sockaddr_un u = {.sun_family = AF_UNIX};
    socklen_t n = sizeof u.sun_family, size = sizeof u;
    int type = 0;
    socklen_t type_size = sizeof type;
    if (fstat(socket_fd, &st) || getsockopt(socket_fd, SOL_SOCKET, SO_TYPE, &type, &type_size))
        return -1;
    void **end = table_at_file(&ends, st.st_dev, st.st_ino);
    if (*end)
        return (int)(intptr_t)*end;
    int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0), named = type == SOCK_DGRAM ? socket_fd : fd;
    bool is_ready = fd >= 0 && !bind(named, (void *)&u, n) && !getsockname(named, (void *)&u, &size);
    if (is_ready && type == SOCK_DGRAM)
        is_ready = !connect(fd, (void *)&u, size);
    else if (is_ready) {
        int own = listen(fd, 1) || connect(socket_fd, (void *)&u, size) ? -1 : accept4(fd, NULL, NULL, SOCK_CLOEXEC);
        close(fd);
        fd = own;
    }
    if (!is_ready || fd < 0)
        return -1;
    *end = (void *)(intptr_t)fd;
    return fd;
}

static bool hand_on(int over, const int *fd, size_t count)
{
    union { char bytes[CMSG_SPACE(MOST_RIGHTS * sizeof(int))]; struct cmsghdr align; } room = {0};
    char byte = 0;
    struct iovec data = {&byte, 1};
    struct msghdr m = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = &room, .msg_controllen = CMSG_SPACE(count * sizeof *fd)};
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    *c = (struct cmsghdr){.cmsg_len = CMSG_LEN(count * sizeof *fd), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(c), fd, count * sizeof *fd);
    return sendmsg(over, &m, MSG_DONTWAIT | MSG_NOSIGNAL) == 1;
}

/* Whether the call receives descriptors: then it runs. */
bool replay_rights_received(struct task *t, struct event *e)
{
    struct sent *s = kept_by(e->before);
    int fd[MOST_RIGHTS], over = borrow(t, (int)t->args[0]);
    size_t count = 0;
    bool is_sent = over >= 0 && about(e->record, FIELD_STAT, 0) && about(e->record, FIELD_IN, 0);
    for (; is_sent && count < MOST_RIGHTS && about(e->record, FIELD_STAT, count); count++)
        fd[count] = s && count < s->count ? dup(s->fd[count]) : stand_in(e, count);
    is_sent = is_sent && hand_on(end_of(over), fd, count);
    while (count)
        close(fd[--count]);
    if (over >= 0)
        close(over);
    if (is_sent && s)
        drop(s);
    t->want_exit |= is_sent;
    return is_sent;
}

/* The log says all but their numbers here. */
void replay_rights_taken(struct task *t, const struct event *e)
{
    struct rights here = rights_in(t), then;
    put_outputs(t, e->record);
    then = rights_in(t);
    for (size_t i = 0; i < then.count; i++) {
        if (i >= here.count) {
            replay_diverged(t, e, "what was handed over cannot be had");
            return;
        }
        mem_write(t->tid, then.at[i], &here.fd[i], sizeof *here.fd);
        files_set(t->files, here.fd[i], stream_of_right(e->record, i));
    }
}

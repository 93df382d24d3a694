/* The control part of a message: descriptors (SCM_RIGHTS) and process ids (SCM_CREDENTIALS) that it passes. */
#include "base/base.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"
#include "track/track.h"

#include <sys/socket.h>

enum { LARGEST = 4096 };

/* Calls each(what, kind, at, data, n) for each part that concerns the socket: where its n bytes lie in the tracee, and they. */
static void each_part(struct task *t, void (*each)(void *what, int kind, uint64_t at, const unsigned char *data, size_t n), void *what)
{
    struct msghdr m;
    unsigned char control[LARGEST];
    if (!mem_read(t->tid, t->args[1], &m, sizeof m) || !m.msg_controllen || m.msg_controllen > sizeof control
        || !mem_read(t->tid, (uint64_t)m.msg_control, control, m.msg_controllen))
        return;
    struct cmsghdr c;
    for (size_t at = 0; at + sizeof c <= m.msg_controllen; at += CMSG_ALIGN(c.cmsg_len)) {
        memcpy(&c, control + at, sizeof c);
        if (c.cmsg_len < sizeof c || c.cmsg_len > m.msg_controllen - at)
            return;
        if (c.cmsg_level == SOL_SOCKET)
            each(what, c.cmsg_type, (uint64_t)m.msg_control + at + sizeof c, control + at + sizeof c, c.cmsg_len - sizeof c);
    }
}

static void add_rights(void *what, int kind, uint64_t at, const unsigned char *data, size_t n)
{
    struct rights *r = what;
    for (size_t i = 0; kind == SCM_RIGHTS && i + sizeof(int) <= n && r->count < MOST_RIGHTS; i += sizeof(int)) {
        memcpy(&r->fd[r->count], data + i, sizeof(int));
        r->at[r->count++] = at + i;
    }
}

/* The descriptors in the control part of the message of t's call. */
struct rights rights_in(struct task *t)
{
    struct rights r = {0};
    each_part(t, add_rights, &r);
    return r;
}

/* By file: 1 + what a passed descriptor was to its sender, as a stream or a substitute socket; NULL: nobody has sent it. */
static void **passed(struct task *t, int fd)
{
    static struct table files;
    struct stat st;
    if (!stat_of_fd(t->tid, fd, &st))
        return NULL;
    return table_at_file(&files, st.st_dev, st.st_mode & S_IFMT ? st.st_ino : file_of_fd(t->tid, fd));    /* timers and their like have one inode */
}

/* A call sends: the receiver may have them before it returns. */
void rights_leave(struct task *t)
{
    struct rights r = rights_in(t);
    for (size_t i = 0; i < r.count; i++) {
        void **at = passed(t, r.fd[i]);
        uint32_t mark = files_mark(t->files, r.fd[i]);
        if (at)
            *at = (void *)(uintptr_t)(1 + (uint64_t)(mark < SHARED_FILE || mark == (uint32_t)SOCKET_INSIDE ? mark : 0));
    }
}

bool right_is_sent(struct task *t, int fd, uint32_t *mark)
{
    void **at = passed(t, fd);
    *mark = at && *at ? (uint32_t)((uintptr_t)*at - 1) : 0;
    return at && *at;
}

bool rights_may_arrive(struct task *t)
{
    struct msghdr m;
    return t->nr == REX_NR_recvmsg && mem_read(t->tid, t->args[1], &m, sizeof m) && m.msg_controllen;
}

/* To the receiver each is what it was to the sender. */
void rights_arrive(struct task *t)
{
    struct rights r = rights_in(t);
    uint32_t mark;
    for (size_t i = 0; i < r.count; i++)
        if (right_is_sent(t, r.fd[i], &mark))
            files_set(t->files, r.fd[i], mark);
}

static void find_credentials(void *what, int kind, uint64_t at, const unsigned char *data, size_t n)
{
    (void)data;
    if (kind == SCM_CREDENTIALS && n >= sizeof(struct ucred))
        *(uint64_t *)what = at;
}

uint64_t credentials_in(struct task *t)
{
    uint64_t at = 0;
    each_part(t, find_credentials, &at);
    return at;
}

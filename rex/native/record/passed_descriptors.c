/* Descriptors that processes pass to each other over sockets that have a substitute in a replay.
 *
 * The log has which files they were.  In a replay the tracer keeps a passed descriptor until the
 * receiver takes it: the tracer sends it over the receiver's substitute socket, so that the receiver's own call
 * takes it.  Sockets that a replay connects for real pass descriptors themselves. */
#include "base/base.h"
#include "log/log.h"
#include "record/internal.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"
#include "track/track.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>

enum { ABOUT = 1 | PART_CONTROL };

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
    uint32_t streams[MOST_RIGHTS] = {0};
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
            bool is_sent = right_is_sent(t, r.fd[i], &streams[i]);
            uint32_t known = is_sent ? streams[i] : stream_known(&st);
            streams[i] = known || is_sent ? known : record_received(path, &st);
            files_set(t->files, r.fd[i], streams[i]);
        }
        free(path);
    }
    if (r.count && t->nr == REX_NR_recvmsg)
        log_field(b, ABOUT, FIELD_IN, streams, r.count * sizeof *streams);
}

/* Files that several processes lock: taking a lock is an event, whose place among those of the same
 * file a replay keeps.  Giving it up, by a call, a close or an end, needs none: locks are real in a replay. */
#include "engine.h"

#include <fcntl.h>
#include <sys/file.h>

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

/* Whether the log has the call as one on a shared file. */
bool is_shared_call(const struct task *t)
{
    return !serial_on && log_version >= LOG_WITH_SHARED && (takes_flock(t) || takes_record_lock(t))
        && !files_stream(t->files, (int)t->args[0]);
}

uint64_t shared_key(const uint64_t *args)
{
    return (uint64_t)EVENT_SHARED << 48 ^ (uint32_t)args[0] << 16 ^ (uint16_t)args[1];
}

/* The event of a call that has ended; log_end() is due. */
void shared_event(struct task *t, struct bytes *b, int64_t result)
{
    struct stat st;
    int fd = (int)t->args[0];
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
    if (path)
        log_field(b, 0, FIELD_RESOLVED, path, strlen(path));
    free(path);
}

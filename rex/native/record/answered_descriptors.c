/* Calls whose answer is a new descriptor (NS_GET_USERNS, SO_PEERPIDFD), and requests that the table does not have.
 *
 * The event's last argument says what the descriptor is: a process of the experiment, by its number, or else an external
 * stream, in the upper half. */
#include "base/base.h"
#include "log/log.h"
#include "record/internal.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

static int answered(const struct task *t, int64_t result)
{
    int fd = (int)result;
    if (t->nr == REX_NR_getsockopt && !mem_read(t->tid, t->args[3], &fd, sizeof fd))
        return -1;
    return fd;
}

static void new_descriptor(struct task *t, struct record *r)
{
    int fd = answers_descriptor(t->nr, t->args) ? answered(t, r->result) : -1;
    if (fd < 0)
        return;
    int process = process_of_fd(t->tid, fd);
    uint32_t stream = process > 0 && task_of(process) ? 0 : stream_new();
    files_set(t->files, fd, stream);
    r->args[5] = (uint64_t)stream << 32 | (stream ? 0 : (uint32_t)process);
}

/* It has succeeded: what it moved is known only as far as its number says. */
static void unknown_request(const struct task *t)
{
    static struct table named;
    char byte;
    if (t->nr != REX_NR_ioctl || ioctl_of((unsigned)t->args[1]) || !mem_read(t->tid, t->args[2], &byte, sizeof byte))
        return;
    char *name = text("%#x", (unsigned)t->args[1]);
    void **known = table_at(&named, name);
    if (!*known)
        report_line("unknown_ioctl=%s", name);
    *known = &named;
    free(name);
}

void record_answered(struct task *t, struct record *r)
{
    if (r->result < 0 || !t->stream)
        return;
    new_descriptor(t, r);
    unknown_request(t);
}

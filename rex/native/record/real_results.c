/* Results of calls that run for real: see track/real_results.c. */
#include "base/base.h"
#include "log/log.h"
#include "record/internal.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"
#include "track/track.h"

bool record_result_comes(struct task *t)
{
    bool comes = has_logged_result(t);
    t->want_exit |= comes;
    return comes;
}

bool record_result(struct task *t, int64_t result)
{
    struct bytes b = {0};
    if (!has_logged_result(t))
        return false;
    bool is_option = t->nr == REX_NR_getsockopt;
    uint8_t arg = is_option ? 3 : 2;
    size_t size = result < 0 ? 0 : is_option ? sizeof(int) : file_ioctl_answer(t);
    log_begin(&b, EVENT_RESULT, t->index);
    struct record *r = (struct record *)b.data;
    r->result = result;
    r->args[0] = (uint64_t)t->nr;
    memcpy(r->args + 1, t->args, 5 * sizeof *t->args);
    unsigned char *answer = size ? zalloc(size) : NULL;
    if (answer && mem_read(t->tid, t->args[arg], answer, size))
        log_field(&b, arg, FIELD_OUT, answer, size);
    free(answer);
    static bool is_noted;
    if (result >= 0 && maps_external(t) && !is_noted)
        log_note(t->index, "memory of a socket or device was mapped: what comes there is not recorded, and is zero in a replay");
    is_noted |= result >= 0 && maps_external(t);
    char *path = bounded_descriptor(t) >= 0 ? path_of_fd(t->tid, bounded_descriptor(t)) : NULL;
    if (path)
        log_field(&b, 0, FIELD_RESOLVED, path, strlen(path));
    free(path);
    log_end(&b);
    bytes_free(&b);
    return true;
}

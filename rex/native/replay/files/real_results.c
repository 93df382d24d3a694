/* Replay: calls that run for real, but whose result depends on rights, flags or the file system, come to what they came to when
 * recorded.  Those whose effect nobody sees in the files are not made. */
#include "base/base.h"
#include "log/log.h"
#include "mode/mode.h"
#include "replay/files/files.h"
#include "replay/files/internal.h"
#include "replay/index/index.h"
#include "replay/rules/rules.h"
#include "replay/send/send.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"
#include "track/track.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/mman.h>

static struct table bounded;             /* files of which the log has results of reads or writes */

void replay_results_start(void)
{
    for (size_t i = 0; i < event_count; i++) {
        const struct record *r = events[i].record;
        if (r->call != EVENT_RESULT)
            continue;
        queue_add(&events[i], queue_id(task_log_of(r->task), EVENT_RESULT, events[i].key, 0), PLAIN);
        char *path = record_text(r, FIELD_WHOLE, FIELD_RESOLVED);
        if (path)
            *table_at(&bounded, path) = (void *)r;
        free(path);
    }
}

bool replay_is_bounded(const char *path)
{
    return table_get(&bounded, path);
}

void replay_results_opened(struct task *t, int fd, const struct event *e)
{
    char *path = replay_kind_of(e->record) == S_IFREG ? record_text(e->record, FIELD_WHOLE, FIELD_RESOLVED) : NULL;
    if (path && replay_is_bounded(path) && !files_mark(t->files, fd))
        files_set(t->files, fd, (uint32_t)BOUNDED_FILE);
    free(path);
}

static struct event *left_in(const struct task_log *s, uint64_t key)
{
    struct event *e = queue_at(queue_id(s, EVENT_RESULT, key, 0))->first;
    while (e && e->taker)
        e = e->next[PLAIN];
    return e;
}

/* A file system that has no O_DIRECT: what it refuses is in the log. */
bool replay_opens_indirectly(struct task *t, int64_t result)
{
    struct user_regs_struct r = regs_get(t);
    if (result != -EINVAL || !(r.rdx & O_DIRECT))
        return false;
    file_state(t)->not_direct = true;
    rewind_call(t);
    return true;
}

/* Of its own task log, else of a sibling thread's. */
static struct event *event_of(struct task *t)
{
    uint64_t args[6] = {(uint64_t)t->nr};
    memcpy(args + 1, t->args, 5 * sizeof *args);
    struct event *e = left_in(t->task_log, result_key(args));
    for (uint32_t i = 0; !e && has_shared_work(t) && i < task_log_total(); i++)
        if (replay_is_sibling(t, task_log_of(i)))
            e = left_in(task_log_of(i), result_key(args));
    return e;
}

static bool has_effect(const struct task *t)
{
    return call_of(t->nr)->arg[1].word == REX_WORD_FALLOCMODE || sets_length(call_of(t->nr)) || t->nr == REX_NR_setsockopt || bounded_descriptor(t) >= 0 || (t->nr == REX_NR_ioctl && ((uint32_t)t->args[1] == FICLONE || (uint32_t)t->args[1] == FICLONERANGE));
}

/* Huge pages are aligned, and memory of devices may be: other pages are mapped where those were. */
static void map_plainly(struct task *t, int64_t at)
{
    bool is_aligned = t->args[3] & MAP_HUGETLB || maps_external(t);
    uint64_t flags = t->args[3] & ~(uint64_t)MAPPING_RIGHTS;
    flags |= maps_external(t) ? MAP_ANONYMOUS : 0;
    change_call(t, t->nr, is_aligned ? (uint64_t)at : t->args[0], t->args[1], t->args[2], is_aligned ? flags | MAP_FIXED_NOREPLACE : flags);
}

/* No more than when recorded: the file system had no more space. */
static void limit_count(struct task *t, uint64_t n)
{
    struct user_regs_struct r = t->regs;
    ull *count = call_of(t->nr)->arg[1].word == REX_WORD_BUF && call_of(t->nr)->arg[1].dir == REX_IN ? &r.rdx : t->nr == REX_NR_sendfile ? &r.r10
        : t->nr == REX_NR_copy_file_range || t->nr == REX_NR_splice ? &r.r8 : NULL;
    if (count && *count > n) {
        *count = n;
        regs_set(t, &r);
    }
}

bool replay_result(struct task *t)
{
    struct event *e = has_logged_result(t) && t->task_log ? event_of(t) : NULL;
    if (!e)
        return false;
    int64_t result = e->record->result;
    e->taker = t;
    if (result >= 0 && t->nr == REX_NR_mmap)
        map_plainly(t, result);
    else if (result >= 0 && t->nr == REX_NR_lseek)
        change_call(t, t->nr, t->args[0], (uint64_t)result, SEEK_SET, 0);
    else if (result >= 0 && has_effect(t)) {
        if (result > 0)
            limit_count(t, (uint64_t)result);
        file_state(t)->real_result = e;
        t->want_exit = true;
    } else {
        put_outputs(t, e->record);
        skip_call(t, result);
        replay_send_limit(t, e);
    }
    return true;
}

bool replay_result_exit(struct task *t, int64_t result)
{
    struct event *e = file_state(t)->real_result;
    file_state(t)->real_result = NULL;
    if (e && result < 0 && t->nr == REX_NR_setsockopt)
        give_result(t, e->record->result);    /* for want of rights: the log has what is asked of the socket */
    else if (e && result < 0) {
        replay_diverged(t, e, "failed here");
        give_result(t, result);
    }
    return e;
}

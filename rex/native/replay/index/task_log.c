/* The index of a log: each record is an event, and the events of one task are its task log. */
#include "base/base.h"
#include "log/log.h"
#include "log/repeats.h"
#include "mode/mode.h"
#include "replay/index/index.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"
#include "track/track.h"

#include <sched.h>

struct event *events;
size_t event_count;
static uint32_t shown_count;
const struct record **turn_records;
size_t turn_record_count;
static struct task_log *task_logs;
static size_t task_log_count;
static uint32_t *named;                  /* a hash table: one more than the index of the last task_log of each thread id; 0: free */
static size_t named_slots;

struct task_log *task_log_of(uint32_t task)
{
    if (task > task_log_count)              /* the log names each as it begins */
        log_is_damaged("task %u is not in it", task);
    for (; task_log_count <= task; task_log_count++) {
        task_logs = grow(task_logs, task_log_count, sizeof *task_logs);
        task_logs[task_log_count] = (struct task_log){.index = (uint32_t)task_log_count};
    }
    return &task_logs[task];
}

uint32_t task_log_total(void)
{
    return (uint32_t)task_log_count;
}

/* Where the table of thread ids has this one, or the free entry for it. */
static uint32_t *named_at(uint32_t tid)
{
    size_t i = tid * 2654435761u & (named_slots - 1);
    while (named[i] && task_logs[named[i] - 1].tid != tid)
        i = (i + 1) & (named_slots - 1);
    return &named[i];
}

/* A log of many processes needs it for each of its events: a search through all tasks would take hours. */
static void add_name(const struct task_log *s)
{
    if (2 * (task_log_count + 1) > named_slots) {
        free(named);
        named_slots = named_slots ? 2 * named_slots : 1024;
        named = zalloc(named_slots * sizeof *named);
        for (size_t i = 0; i < task_log_count; i++)
            if (task_logs[i].birth)
                *named_at(task_logs[i].tid) = (uint32_t)i + 1;
    }
    uint32_t *last = named_at(s->tid);
    *last = *last > s->index + 1 ? *last : s->index + 1;
}

/* By thread id as recorded; of several, the last to begin. */
struct task_log *task_log_named(uint32_t tid)
{
    uint32_t found = named_slots ? *named_at(tid) : 0;
    return found ? &task_logs[found - 1] : NULL;
}

/* Where a task log has an event; its count if it is another's. */
size_t task_log_place(const struct task_log *s, const struct event *e)
{
    size_t from = 0, to = s->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (s->event[middle]->number < e->number)
            from = middle + 1;
        else
            to = middle;
    }
    return from < s->count && s->event[from] == e ? from : s->count;
}

/* Of the first thread of its process; itself where the log does not say. */
struct task_log *task_log_leader(uint32_t task)
{
    struct task_log *s = task_log_of(task), *leader = s->birth ? task_log_named(s->tgid) : NULL;
    return leader ? leader : s;
}

struct task_log *task_log_child(uint32_t parent, uint32_t ordinal)
{
    for (size_t i = 0; i < task_log_count; i++) {
        const struct record *r = task_logs[i].birth;
        if (r && parent != UINT32_MAX && (uint32_t)r->args[0] == parent && r->args[1] == ordinal)
            return &task_logs[i];
    }
    return NULL;
}

uint32_t event_shown(const struct event *e)
{
    return e ? e->shown + (e->repeats ? e->repeats->taken : 0) : shown_count;
}

static uint64_t key_of_record(const struct record *r)
{
    const struct rex_call *c = call_of(r->call);
    if (r->call == EVENT_PIPE)
        return pipe_key(r->args);
    if (r->call == EVENT_SHARED)
        return shared_key(r->args);
    if (r->call == EVENT_MAPPED)
        return mapping_key(r->args);
    if (r->call == EVENT_RESULT)
        return result_key(r->args);
    if (!c)
        return 0;
    char *path = c->key == REX_KEY_PATH ? record_text(r, FIELD_WHOLE, FIELD_IN) : NULL;
    uint64_t key = call_key(c, r->call, path, r->stream, r->args);
    free(path);
    return key;
}

static bool is_signal_whole(const struct record *r)
{
    const struct field *f = record_field(r, FIELD_WHOLE, FIELD_OUT);
    siginfo_t info;
    if (!f || f->length < sizeof info)
        return false;
    memcpy(&info, f->data, sizeof info);
    return r->args[0] > 0 && r->args[0] < NSIG && info.si_signo > 0 && info.si_signo < NSIG;
}

/* Archives come from strangers: others rely on what is checked here. */
static void check_record(const struct record *r)
{
    const char *why = r->task > task_log_count ? "its task was never born" : r->stream >= SHARED_FILE ? "its stream has no such number"
        : r->call == EVENT_SIGNAL && !is_signal_whole(r) ? "a signal without its facts" : NULL;
    if (why)
        log_is_damaged("event %zu: %s", event_count, why);
}

static void add_record(const struct record *r)
{
    check_record(r);
    struct task_log *s = task_log_of(r->task);
    if (r->call != EVENT_TASK && !s->birth)
        log_is_damaged("event %zu: its task was never born", event_count);
    struct event *e = &events[event_count];
    bool is_note = r->call == EVENT_NOTE || r->call == EVENT_DUP || r->call == EVENT_MAPPED || r->call == EVENT_RESULT;
    *e = (struct event){.record = r, .key = key_of_record(r), .number = (uint32_t)event_count, .shown = shown_count, .done = is_note,
                        .repeats = is_note ? NULL : repeats_begin(r)};
    e->record = e->repeats ? e->repeats->now : r;
    shown_count += 1 + (uint32_t)repeats_in(r);
    event_count++;
    if (r->call == EVENT_TASK) {
        if (s->birth)
            log_is_damaged("event %zu: its task was born before", event_count - 1);
        s->birth = r;
        s->tid = (uint32_t)r->args[3];
        s->tgid = (uint32_t)r->args[4];
        add_name(s);
        struct task_log *leader = task_log_named(s->tgid);
        if (!leader)
            log_is_damaged("event %zu: a thread of no process", event_count);
        leader->has_threads |= (r->args[2] & CLONE_THREAD) != 0;
        e->done = true;
    } else if (r->call == EVENT_SWITCH) {
        turn_records = grow(turn_records, turn_record_count, sizeof *turn_records);
        turn_records[turn_record_count++] = r;
        e->done = true;
    } else if (r->call == EVENT_EXIT)
        s->exit = e;
    else if (!is_note) {
        s->event = grow(s->event, s->count, sizeof *s->event);
        s->event[s->count++] = e;
        s->signals_to = replay_is_signal(e) ? s->count : s->signals_to;
    }
}

void log_load(const char *path)
{
    size_t size, at = 0, count = 0;
    const unsigned char *data = log_map(path, &size);
    while (log_next(data, size, &at))
        count++;
    events = zalloc((count + 1) * sizeof *events);
    at = 0;
    for (const struct record *r; (r = log_next(data, size, &at)); )
        add_record(r);
    if (!task_log_total() || !task_log_of(0)->birth)
        log_is_damaged("nothing begins in it");
    log_clock_start();
}

/* One of its own: the log has none for the task. */
static void drop_own(struct task *t)
{
    if (t->task_log && !t->task_log->birth)
        free(t->task_log);
}

const struct observer task_log_observer = {.freed = drop_own};

/* Replay: what threads read from the pipes of other processes arrives in the order of the log: see track/arrival_order.c.
 *
 * How much a read takes depends on the timing of both, so that a position in the log is a number of bytes: a thread gets
 * what comes after these, and no more, once all that the log has before it has been read and passed on. */
#include "base/base.h"
#include "log/log.h"
#include "replay/index/index.h"
#include "replay/pipes/internal.h"
#include "replay/pipes/pipes.h"
#include "replay/progress/delays.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"
#include "track/track.h"

/* A pipe of the log, and what stands for it. */
struct source {
    uint32_t tgid;
    int fd;
    uint64_t was;
    ino_t pipe;                          /* 0: not seen yet */
    uint64_t taken, *until;              /* bytes: read by now; by the end of each of its events */
    struct event **event;
    size_t count, next;
    struct task *reader;                 /* who has read last and is not back, since when */
    ull since;
    uint32_t given_up;                     /* nobody waits for what comes before that event */
};

static struct source *sources;
static size_t source_count;

bool is_arrival(const struct record *r)
{
    return r->call == EVENT_PIPE && r->args[3] == IS_ARRIVAL;
}

static struct source *source_in(const struct record *r)
{
    uint32_t tgid = task_log_of(r->task)->tgid;
    size_t i = 0;
    while (i < source_count && !(sources[i].tgid == tgid && sources[i].was == r->args[2]))
        i++;
    if (i == source_count) {
        sources = grow(sources, source_count++, sizeof *sources);
        sources[i] = (struct source){.tgid = tgid, .fd = (int)r->args[1], .was = r->args[2]};
    }
    return &sources[i];
}

void replay_arrivals_start(void)
{
    for (size_t i = 0; i < event_count; i++)
        if (is_arrival(events[i].record)) {
            struct source *s = source_in(events[i].record);
            uint64_t before = s->count ? s->until[s->count - 1] : 0;
            s->until = grow(s->until, s->count, sizeof *s->until);
            s->event = grow(s->event, s->count, sizeof *s->event);
            s->until[s->count] = before + (uint64_t)events[i].record->result;
            s->event[s->count++] = &events[i];
            replay_put_aside(&events[i]);
            events[i].idle = true;
        }
}

bool replay_has_arrivals(const struct task *t)
{
    size_t i = 0;
    while (i < source_count && sources[i].tgid != t->task_log->tgid)
        i++;
    return i < source_count;
}

/* Of pipes not seen yet the first with that number. */
static struct source *source_of(struct task *t)
{
    struct stat st;
    struct source *first = NULL;
    if (!stat_of_fd(t->tid, (int)t->args[0], &st))
        return NULL;
    for (size_t i = source_count; i-- > 0; ) {
        struct source *s = &sources[i];
        if (s->tgid != t->task_log->tgid)
            continue;
        if (s->pipe == st.st_ino)
            return s;
        if (!s->pipe && s->fd == (int)t->args[0])
            first = s;
    }
    if (first)
        first->pipe = st.st_ino;
    return first;
}

/* It has passed on what it has read, or has ended. */
void replay_arrival_back(const struct task *t)
{
    for (size_t i = 0; i < source_count; i++)
        if (sources[i].reader == t)
            sources[i].reader = NULL;
}

/* What its read is to give; NULL: the log has no more of it. */
struct event *replay_arrival(struct task *t)
{
    struct source *s = is_arrival_call(t) ? source_of(t) : NULL;
    if (s)
        replay_arrival_back(t);
    while (s && s->next < s->count && s->until[s->next] <= s->taken)
        s->next++;
    return s && s->next < s->count ? s->event[s->next] : NULL;
}

static bool is_passed_on(struct source *s, uint64_t until, bool was_back)
{
    if (s->reader && (!was_back || (log_now() - s->since > AWAY_NS && task_state(s->reader) == 'S')))
        s->reader = NULL;
    return s->taken > until || (s->taken == until && !s->reader);
}

/* How many events of it are before that number. */
static size_t events_before(const struct source *s, uint32_t number)
{
    size_t low = 0, high = s->count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (s->event[mid]->number < number)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* Whether all has been passed on that other threads of the process had read before. */
bool replay_arrival_comes(struct task *t, const struct event *e)
{
    for (size_t i = 0; i < source_count; i++) {
        struct source *s = &sources[i];
        size_t k = events_before(s, e->number);
        if (s->tgid != t->task_log->tgid || s->was == e->record->args[2] || s->given_up >= e->number)
            continue;
        if (k && s->event[k - 1]->record->task != t->task_log->index && !is_passed_on(s, s->until[k - 1], e->record->args[4]))
            return false;
    }
    return true;
}

/* Nothing else can move: nobody waits for what the log has before it. */
void replay_arrival_give_up(const struct task *t, const struct event *e)
{
    for (size_t i = 0; is_arrival(e->record) && i < source_count; i++)
        if (sources[i].tgid == t->task_log->tgid && sources[i].given_up < e->number)
            sources[i].given_up = e->number;
}

void replay_arrival_limit(struct task *t, const struct event *e)
{
    struct source *s = source_in(e->record);
    struct user_regs_struct r = t->regs;
    uint64_t left = s->until[s->next] - s->taken;
    if (t->nr == REX_NR_read && left < r.rdx)
        r.rdx = left;
    regs_set(t, &r);
    t->want_exit = true;
}

void replay_arrival_came(struct task *t, const struct event *e, int64_t result)
{
    struct source *s = source_in(e->record);
    t->matched = NULL;                   /* no signal is to come with it */
    give_result(t, result);
    if (result <= 0)
        return;
    s->taken += (uint64_t)result;
    s->reader = t;
    s->since = log_now();
}

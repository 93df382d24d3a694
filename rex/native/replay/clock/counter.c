/* Replay: readings of the processor's counter, and its random numbers. */
#include "base/base.h"
#include "log/log.h"
#include "replay/clock/clock.h"
#include "replay/index/index.h"
#include "replay/match/match.h"
#include "replay/rules/rules.h"
#include "replay/send/send.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"
#include "track/track.h"

/* The processor's counter advances at the rate that the log shows. */
static uint64_t counter_after(const struct record *last, ull passed)
{
    static const struct record *first;
    for (size_t i = 0; !first && i < event_count; i++)
        first = events[i].record->call == EVENT_TSC ? events[i].record : NULL;
    uint64_t ticks = first ? (uint64_t)(last->result - first->result) : 0, ns = first ? last->time - first->time : 0;
    return (uint64_t)last->result + (ns ? (uint64_t)((double)ticks / (double)ns * (double)passed) : passed) + 1;
}

void replay_tsc(struct task *t, bool with_aux, uint64_t *value, uint32_t *aux)
{
    (void)with_aux;
    struct event *e = replay_match(t, EVENT_TSC, 0);
    struct event *last = e ? e : replay_equal_answer(t, EVENT_TSC, 0);
    *value = e ? (uint64_t)e->record->result : last ? counter_after(last->record, log_now() - t->task_log->tsc_at) : 0;
    *aux = last ? (uint32_t)last->record->args[0] : 0;
    if (e) {
        replay_send_with(t, e);
        replay_answered(t, e);
    }
}

uint64_t replay_random(struct task *t)
{
    struct event *e = replay_match(t, EVENT_RANDOM, 0);
    struct event *last = e ? e : replay_equal_answer(t, EVENT_RANDOM, 0);
    if (!e)
        replay_diverged(t, NULL, "not in the log");
    else
        replay_done(e);
    return last ? (uint64_t)last->record->result : 0;
}

static bool is_random_device_at(const struct files *f, int fd)
{
    const struct opened *o = files_opened(f, fd);
    struct stat st = o && o->event ? replay_stat_in(o->event->record) : (struct stat){0};
    return is_random_device(&st);
}

/* Of a process with threads, which draw as often as they come to it.  Never the same twice: programs give names so. */
bool replay_draws_more(struct task *t)
{
    static uint64_t drawn[2] = {0x5eed, 0};
    bool reads = t->nr == REX_NR_read && is_random_device_at(t->files, (int)t->args[0]);
    if (!has_shared_work(t) || !(reads || t->nr == REX_NR_getrandom))
        return false;
    uint64_t to = t->args[reads], most = t->args[reads + 1], word;
    size_t n = most < 1 << 20 ? (size_t)most : 1 << 20;
    for (size_t at = 0; at < n; at += sizeof word) {
        drawn[1]++;
        word = hash_bytes(drawn, sizeof drawn, 0);
        mem_write(t->tid, to + at, &word, n - at < sizeof word ? n - at : sizeof word);
    }
    skip_call(t, (int64_t)n);
    return true;
}

/* Which logged event answers a call: the rows of match_rules.
 *
 * Events of one task that are equal in call and key stand in a queue, in their order; a call takes the first that is left.  So
 * threads whose timing differs still find their answers. */
#include "base/base.h"
#include "replay/clock/clock.h"
#include "replay/files/files.h"
#include "replay/index/index.h"
#include "replay/match/match.h"
#include "replay/pipes/pipes.h"
#include "replay/replay.h"
#include "replay/rules/rules.h"
#include "replay/tasks/tasks.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

static struct event *pool_child(struct task *t, struct event *found, long nr, uint64_t key)
{
    (void)found, (void)key;
    return replay_job_event(t, nr);
}

static bool is_stat_of_descriptor(struct task *t, long nr)
{
    (void)nr;
    return is_nameless_stat(t) && (has_shared_work(t) || t->leader->from_threads);
}

static struct event *stat_of_descriptor(struct task *t, struct event *found, long nr, uint64_t key)
{
    (void)found, (void)key;
    return match_nameless(t, nr);
}

static bool is_reading_of_threads(struct task *t, long nr)
{
    return is_timed(nr) && !is_clock(nr) && has_shared_work(t);
}

static struct event *reading_by_call_site(struct task *t, struct event *found, long nr, uint64_t key)
{
    (void)found;
    return match_place(t, nr, key);
}

static bool is_draw_of_threads(struct task *t, long nr)
{
    return nr == REX_NR_getrandom && has_shared_work(t);
}

static struct event *draw_by_caller(struct task *t, struct event *found, long nr, uint64_t key)
{
    (void)found, (void)nr;
    return replay_drawn(t, key);
}

static bool is_clock_of_threads(struct task *t, long nr)
{
    return is_clock(nr) && has_shared_work(t);
}

static struct event *clock_by_caller(struct task *t, struct event *found, long nr, uint64_t key)
{
    (void)found, (void)nr;
    return replay_clock(t, key);
}

static struct event *next_in_queue(struct task *t, struct event *found, long nr, uint64_t key)
{
    (void)found;
    return match_in(t, t->task_log, nr, key);
}

static struct event *output(struct task *t, struct event *found, long nr, uint64_t key)
{
    (void)nr;
    return replay_output_of(t, found, key);
}

static struct event *extra_reading(struct task *t, struct event *found, long nr, uint64_t key)
{
    (void)nr;
    return replay_paced(t, found, key);
}

static bool may_be_of_sibling(struct task *t, long nr)
{
    return has_shared_work(t) && is_shared_work(t, nr);
}

static struct event *of_sibling(struct task *t, struct event *found, long nr, uint64_t key)
{
    (void)found;
    return match_sibling(t, nr, key);
}

static bool has_no_name_yet(struct task *t, long nr)
{
    (void)nr;
    return replay_is_nameless(t);
}

static struct event *of_child_to_be(struct task *t, struct event *found, long nr, uint64_t key)
{
    (void)found;
    return replay_job_prepares(t, nr, key);
}

const struct match_rule match_rules[] = {
    /* A call that makes a process, or waits for one by its number, is of that child alone. */
    {"pool-child", DECIDE, NULL, pool_child},
    /* By order and not by key, which has the number: threads race for descriptor numbers. */
    {"stat-of-descriptor", FIND, is_stat_of_descriptor, stat_of_descriptor},
    /* Readings go by who reads: the queue would give one thread's reading to another function. */
    {"reading-by-call-site", FIND_ONLY, is_reading_of_threads, reading_by_call_site},
    /* As readings: random bytes go by who draws. */
    {"random-by-caller", FIND, is_draw_of_threads, draw_by_caller},
    /* As readings, with rules of its own for clocks. */
    {"clock-by-caller", FIND_ONLY, is_clock_of_threads, clock_by_caller},
    /* The usual case: the first event left that is equal in task, call and key. */
    {"next-in-queue", FIND, NULL, next_in_queue},
    /* Go moves work between threads: an earlier event of a sibling is the one that was meant. */
    {"moved-between-threads", REFINE, NULL, match_moved},
    /* After the rows that choose a thread: what is written decides whose output it is. */
    {"output-by-content", REFINE, NULL, output},
    /* What comes over a connection comes in one order, whichever thread takes it. */
    {"arrived-first", REFINE, NULL, match_arrived},
    /* Last of these: it may say that a reading comes once more than in the log, and takes none. */
    {"extra-reading", REFINE, NULL, extra_reading},
    /* What one thread did when recorded, another may do now. */
    {"sibling", FALL_BACK, may_be_of_sibling, of_sibling},
    /* A child that has no name yet may have any name's events. */
    {"child-to-be", FALL_BACK, has_no_name_yet, of_child_to_be},
    {NULL, FIND, NULL, NULL},
};

/* Replay: when all that still runs waits for what will not come, the replay ends with an error.
 *
 * External sources are answered from the log, so that only three things can still move a task that
 * sleeps: another task, a point in time, and the reader of the program's output.  Tasks that wait with a timeout, over
 * and over, can always move: then the log decides, by how long it had no event from them. */
#include "base/base.h"
#include "log/log.h"
#include "mode/mode.h"
#include "replay/index/index.h"
#include "replay/progress/delays.h"
#include "replay/progress/internal.h"
#include "replay/progress/progress.h"
#include "replay/ring/ring.h"
#include "replay/rules/rules.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"
#include "turns/turns.h"

#include <linux/futex.h>

static bool has_timeout(long nr, const uint64_t *args)
{
    unsigned what = nr == REX_NR_futex ? args[1] & 0x7f : FUTEX_WAIT;      /* others of a futex have a number there */
    return what != FUTEX_WAKE && what != FUTEX_WAKE_BITSET && what != FUTEX_REQUEUE && has_limit(nr, args);
}

/* For how long the call may wait, ns; 0 = not known. */
static ull limit_of(struct task *t, long nr, const uint64_t *args)
{
    const struct rex_call *c = call_of(nr);
    struct timespec limit;
    if (nr == REX_NR_futex)
        return (args[1] & 0x7f) == FUTEX_WAIT && mem_read(t->tid, args[3], &limit, sizeof limit) ? (ull)limit.tv_sec * 1000000000 + (ull)limit.tv_nsec : 0;
    return c && has_limit_in_ms(c) ? (ull)(int)args[c->limit_arg] * 1000000 : 0;
}

/* As the kernel has it, but 'R' of a task that has not begun, and 'X' of one that we keep from going on. */
char replay_state(struct task *t)
{
    bool is_kept = t->held || t->parked || t->blocked || t->listening || (is_serialized() && t->vforking);
    return !t->started ? 'R' : is_kept ? 'X' : task_state(t);
}

/* The call in which the task sleeps, -1: in none. */
static long sleeps_in(struct task *t, uint64_t *args)
{
    char name[64], line[256] = "";
    long nr = -1;
    snprintf(name, sizeof name, "/proc/%d/task/%d/syscall", t->leader->tid, t->tid);
    FILE *f = fopen(name, "re");
    bool in_call = f && fgets(line, sizeof line, f)
        && sscanf(line, "%ld %lx %lx %lx %lx %lx %lx", &nr, &args[0], &args[1], &args[2], &args[3], &args[4], &args[5]) == 7;
    if (f)
        fclose(f);
    return in_call ? nr : -1;
}

enum mover replay_mover(struct task *t, ull *limit)
{
    uint64_t args[6] = {0};
    char state = replay_state(t);
    if (state != 'S')
        return state == 'Z' || state == 'X' ? NOBODY : ITSELF;
    long nr = sleeps_in(t, args);
    if (limit)
        *limit = limit_of(t, nr, args);
    if (nr < 0 || has_timeout(nr, args))
        return nr < 0 ? ITSELF : TIME;
    uint32_t stream = pipe_gives(nr) ? files_stream(t->files, (int)args[0]) : 0;
    return stream == 2 || stream == 3 ? READER : NOBODY;
}

/* Only other tasks can end its wait. */
bool replay_waits_for_siblings(struct task *t)
{
    uint64_t args[6] = {0};
    char state = replay_state(t);
    long nr = state == 'S' ? sleeps_in(t, args) : -1;
    return state == 'Z' || (state == 'X' && !t->blocked) || ((nr == REX_NR_futex || nr == REX_NR_wait4 || nr == REX_NR_waitid) && !has_timeout(nr, args));
}

/* ------------------------------------------------------------------ how long it may take */

/* What a thread does that waits with a timeout, over and over: it reads the clock, queries itself, and finds nothing.  Though the log
 * has such events left, none of them shows that the replay goes on. */
static bool is_idle(const struct record *r)
{
    const struct rex_call *c = call_of(r->call);
    return r->call == EVENT_TSC || r->call == REX_NR_futex
        || (c && (c->query || c->hook == REX_HOOK_SLEEP || (is_readiness_wait(c) && r->result <= 0)));
}

void replay_stuck_start(void)
{
    for (size_t i = 0; i < event_count; i++)
        events[i].idle = is_idle(events[i].record);
}

/* The places in a task log of what is not idle: of a hundred million events these may be few. */
static void find_moves(struct task_log *s)
{
    s->moves_found = true;
    for (size_t i = 0; i < s->count; i++)
        if (!s->event[i]->idle) {
            s->moves = grow(s->moves, s->move_count, sizeof *s->moves);
            s->moves[s->move_count++] = (uint32_t)i;
        }
}

/* The number of its moves before a place. */
static size_t moves_before(struct task_log *s, size_t at)
{
    if (!s->moves_found)
        find_moves(s);
    size_t low = 0, high = s->move_count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (s->moves[mid] < at)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* How many events there are until the last before that place which is not idle. */
static size_t until_last(struct task_log *s, size_t at)
{
    size_t n = moves_before(s, at);
    return n ? s->moves[n - 1] + 1 : 0;
}

static size_t next_to_come(struct task_log *s, size_t at)
{
    size_t n = moves_before(s, at);
    return n < s->move_count ? s->moves[n] : s->count;
}

const struct event *replay_next_move(struct task *t)
{
    struct task_log *s = t->task_log;
    if (!s || !s->birth)
        return NULL;
    size_t n = moves_before(s, replay_place(t));
    while (n < s->move_count && s->event[s->moves[n]]->done)
        n++;
    return n < s->move_count ? s->event[s->moves[n]] : s->exit;
}

ull replay_time_before(const struct task_log *s, size_t at)
{
    return (at ? s->event[at - 1]->record : s->birth)->time;
}

/* The longest time without an event, of those that are not idle, from that place on, until that point in time.  A log from anywhere
 * may have any times: none is later than the recording's end, and no pause is longer than the longest that is believed. */
static ull longest_pause(struct task_log *s, size_t at, ull until)
{
    ull longest = 0, before = replay_time_before(s, until_last(s, at));
    until = until < plan.duration ? until : plan.duration;
    for (size_t n = moves_before(s, at); n <= s->move_count && before < until; n++) {
        const struct event *e = n < s->move_count ? s->event[s->moves[n]] : s->exit;
        ull now = !e || e->record->time > until ? until : e->record->time;
        longest = now > before && now - before > longest ? now - before : longest;
        before = now;
    }
    return longest < LONGEST_PAUSE_NS ? longest : LONGEST_PAUSE_NS;
}

/* For how long the task had no event when recorded, where it is now: maybe in the call of the last that it came for. */
static ull pause_of(struct task *t)
{
    struct task_log *s = t->task_log;
    if (!s || !s->birth)
        return 0;
    size_t at = until_last(s, replay_place_by_ring(t)), next = next_to_come(s, at);
    const struct event *e = next < s->count ? s->event[next] : s->exit ? s->exit : &events[event_count - 1];
    return longest_pause(s, at ? at - 1 : 0, e->record->time);
}

bool replay_any_idle(void)
{
    for (struct task *t = tasks; t; t = t->next)
        if (t->alive && t->only_waits)
            return true;
    return false;
}

/* Whether a task waits with a timeout, which may lead it to do what the log has before e.  It may have waited often
 * since the last event that was not idle.  A timeout that had not expired by then when recorded says nothing. */
bool replay_time_comes(const struct event *e)
{
    ull unmoved = replay_unmoved_for();
    for (struct task *t = tasks; t; t = t->next) {
        const struct event *next = t->alive && !t->held && t->task_log && t->task_log->birth ? replay_next(t) : NULL;
        size_t at = t->task_log ? t->task_log->cursor : 0;
        if (!next || next->number > e->number || unmoved > 2 * longest_pause(t->task_log, at ? at - 1 : 0, e->record->time) + BUSY_NS)
            continue;
        ull limit = 0;
        enum mover mover = replay_mover(t, &limit);
        if (mover == ITSELF || (mover == TIME && replay_time_before(t->task_log, at) + limit <= e->record->time))
            return true;
    }
    return false;
}

static void end(const char *why)
{
    struct task *waits = NULL;
    for (struct task *t = tasks; t; t = t->next)
        if (t->alive && t->task_log && replay_next(t) && (!waits || replay_next(t)->number < replay_next(waits)->number))
            waits = t;
    replay_diverged(waits ? waits : tasks, NULL, "the replay cannot go on");
    report_line("the replay was ended=%s", why);
    replay_stop(125 << 8);
}

static void end_waiting(void)
{
    end("its processes waited for each other, or for what did not come");
}

/* No report for a while; last: when the last came. */
bool replay_is_stuck(ull last)
{
    if (!tasks_alive() || log_now() - last < STUCK_NS)      /* after the last one's end nobody waits */
        return false;
    for (struct task *t = tasks; t; t = t->next)
        if (t->alive && replay_mover(t, NULL) != NOBODY)
            return false;
    return true;
}

void replay_end_if_stuck(ull last)
{
    if (log_now() - last >= DEADLOCK_NS && replay_is_stuck(last))
        end_waiting();
}

/* ------------------------------------------------------------------ over and over */

/* For how long the engine has run, or wanted to, since the last call: if many want the processor, tasks wait for the engine. */
static ull own_time(struct stillness *s)
{
    static struct usage before;
    struct usage since = usage_since(NULL, &before);
    s->spun += s->begun ? since.ran : 0;
    return since.ran + since.waited;
}

/* Whether someone waits for what is neither ours nor in the log: a disk, who reads the output. */
static bool take_stock(struct stillness *s)
{
    bool excused = false;
    ull most = 0;
    for (struct task *t = tasks; t; t = t->next) {
        struct usage since = t->alive ? usage_since(t, &progress_state(t)->usage) : (struct usage){0, 0};
        enum mover mover = t->alive ? replay_mover(t, NULL) : NOBODY;
        s->ran += s->begun ? since.ran : 0;
        s->wanted += s->begun ? since.waited : 0;
        most = since.ran > most ? since.ran : most;
        if (mover != NOBODY && pause_of(t) > s->pause)
            s->pause = pause_of(t);
        excused |= mover == READER || (mover == ITSELF && !t->vforking && task_state(t) == 'D');
    }
    s->busiest += s->begun ? most : 0;
    s->spun += s->begun ? most : 0;
    return excused;
}

/* Ends the replay if no event of the log has happened for longer than it may take: tasks that mostly sleep
 * wait for what never comes, the others compute much longer than when recorded.  Time during which the machine
 * was suspended does not count. */
void replay_end_if_still(void)
{
    struct stillness *s = replay_stillness();
    ull now = log_now(), passed = now - (s->looked ? s->looked : s->since);
    if (!tasks_alive() || passed < STUCK_NS)
        return;
    if (s->taken != replay_events_taken)
        s->spun = 0;
    s->taken = replay_events_taken;
    bool excused = take_stock(s);
    ull own = own_time(s);
    passed -= own < passed ? own : passed;
    if (s->begun && !excused)
        s->waited += passed < ONE_SLOW_LOOK_NS ? passed : ONE_SLOW_LOOK_NS;
    s->begun = true;
    s->looked = now;
    bool sleeps = 2 * (s->ran + s->wanted) < s->waited;
    if (sleeps && s->waited > NO_PROGRESS_NS + 2 * s->pause)
        end_waiting();
    if (s->busiest > ENDLESS_NS + 5 * s->pause || s->spun > SPINS_NS + 5 * s->pause)
        end("it computed for much longer than when recorded, and came to nothing that the log has next");
}

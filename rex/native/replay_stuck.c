/* Replay: when all that still runs waits for what will not come, the replay ends and says so.
 *
 * What is outside is answered from the log, so that only three things can still move a task that
 * sleeps: another task, a point in time, and who reads the program's output.  Where tasks wait with a limit, over
 * and over, they can always move: then it is the log that tells, by how long it had no event from them. */
#include "engine.h"

#include <linux/futex.h>

enum { SHORT_NS = 500000000, PATIENCE_NS = 5000000000ULL };

enum limit { AS_TIME, AS_NUMBER, AS_ALWAYS };

/* Calls that end by themselves, where the argument is a pointer to a time, or a number that is not negative. */
static const struct { long nr; int arg; enum limit kind; } timed[] = {
    {REX_NR_nanosleep, 0, AS_ALWAYS}, {REX_NR_clock_nanosleep, 0, AS_ALWAYS}, {REX_NR_restart_syscall, 0, AS_ALWAYS},
    {REX_NR_poll, 2, AS_NUMBER}, {REX_NR_epoll_wait, 3, AS_NUMBER}, {REX_NR_epoll_pwait, 3, AS_NUMBER},
    {REX_NR_ppoll, 2, AS_TIME}, {REX_NR_select, 4, AS_TIME}, {REX_NR_pselect6, 4, AS_TIME}, {REX_NR_epoll_pwait2, 3, AS_TIME},
    {REX_NR_rt_sigtimedwait, 2, AS_TIME}, {REX_NR_semtimedop, 3, AS_TIME}, {REX_NR_mq_timedsend, 4, AS_TIME},
    {REX_NR_mq_timedreceive, 4, AS_TIME}, {REX_NR_futex_waitv, 3, AS_TIME},
};

static bool is_timed(long nr, const ull *args)
{
    if (nr == REX_NR_futex) {
        unsigned what = args[1] & 0x7f;
        return what != FUTEX_WAKE && what != FUTEX_WAKE_BITSET && what != FUTEX_REQUEUE && args[3];
    }
    for (size_t i = 0; i < sizeof timed / sizeof *timed; i++)
        if (timed[i].nr == nr)
            return timed[i].kind == AS_ALWAYS || (timed[i].kind == AS_TIME ? args[timed[i].arg] != 0 : (int)args[timed[i].arg] >= 0);
    return false;
}

/* What can make the task go on though no other task does. */
enum mover { NOBODY, TIME, READER, ITSELF };

static enum mover mover_of(struct task *t)
{
    char name[64], line[256] = "";
    ull args[6] = {0};
    long nr = -1;
    if (!t->started)
        return ITSELF;
    if (t->held || t->parked || t->blocked || t->listening || (serial_on && t->vforking))
        return NOBODY;
    char state = task_state(t);
    if (state != 'S')
        return state == 'Z' || state == 'X' ? NOBODY : ITSELF;
    snprintf(name, sizeof name, "/proc/%d/task/%d/syscall", t->leader->tid, t->tid);
    FILE *f = fopen(name, "re");
    if (!f)
        return ITSELF;
    bool in_call = fgets(line, sizeof line, f)
        && sscanf(line, "%ld %llx %llx %llx %llx %llx %llx", &nr, &args[0], &args[1], &args[2], &args[3], &args[4], &args[5]) == 7;
    fclose(f);
    if (!in_call || is_timed(nr, args))
        return in_call ? TIME : ITSELF;
    uint32_t stream = pipe_gives(nr) ? files_stream(t->files, (int)args[0]) : 0;
    return stream == 2 || stream == 3 ? READER : NOBODY;
}

/* ------------------------------------------------------------------ how long it may take */

/* The longest time without an event from that place on, until one has this number. */
static ull longest_pause(const struct script *s, size_t at, uint32_t until)
{
    ull longest = 0, before = at ? s->event[at - 1]->record->time : s->birth->time;
    for (const struct event *e = NULL; at <= s->count && (!e || e->number < until); at++) {
        e = at < s->count ? s->event[at] : s->exit;
        ull now = e && e->record->time > before ? e->record->time : before;
        longest = now - before > longest ? now - before : longest;
        before = now;
    }
    return longest;
}

/* For how long the task had no event when recorded, where it is now: maybe in the call of the last that it came for. */
static ull pause_of(struct task *t)
{
    const struct script *s = t->script;
    if (!s || !s->birth)
        return 0;
    replay_next(t);
    size_t after = s->answered ? script_place(s, s->answered) + 1 : 0, at = after > s->cursor ? after : s->cursor;
    return longest_pause(s, at ? at - 1 : 0, at < s->count ? s->event[at]->number : UINT32_MAX);
}

/* Whether a task waits with a limit, and may be told by it to do what the log has before e. */
bool replay_time_comes(const struct event *e)
{
    enum { SLOWER = 2, LATE_NS = 60000000 };
    for (struct task *t = tasks; t; t = t->next) {
        const struct event *next = t->alive && !t->held && t->script && t->script->birth ? replay_next(t) : NULL;
        size_t at = t->script ? t->script->cursor : 0;
        if (!next || next->number > e->number || log_now() - t->last_stop > SLOWER * longest_pause(t->script, at ? at - 1 : 0, e->number) + LATE_NS)
            continue;
        enum mover mover = mover_of(t);
        if (mover == TIME || mover == ITSELF)
            return true;
    }
    return false;
}

static void end(void)
{
    struct task *waits = NULL;
    for (struct task *t = tasks; t; t = t->next)
        if (t->alive && t->script && replay_next(t) && (!waits || replay_next(t)->number < replay_next(waits)->number))
            waits = t;
    replay_diverged(waits ? waits : tasks, NULL, "the replay cannot go on");
    report_line("the replay was ended=its processes waited for each other, or for what did not come");
    replay_stop(125 << 8);
}

/* No report for a while; last: when the last came. */
void replay_end_if_stuck(ull last)
{
    if (log_now() - last < SHORT_NS)
        return;
    for (struct task *t = tasks; t; t = t->next)
        if (t->alive && mover_of(t) != NOBODY)
            return;
    if ((!serial_on && replay_send_left()) || log_now() - last < PATIENCE_NS)
        return;
    end();
}

/* ------------------------------------------------------------------ over and over */

/* Of what is left of the log nothing has come; as if for so long, with so much computed, ns. */
static struct { uint64_t done; bool begun; ull looked, waited, ran, wanted, pause; } still;

/* Whether someone waits for what is neither ours nor in the log: a disk, who reads the output. */
static bool take_stock(void)
{
    bool excused = false;
    for (struct task *t = tasks; t; t = t->next) {
        struct usage now = t->alive ? task_usage(t) : t->usage;
        enum mover mover = t->alive ? mover_of(t) : NOBODY;
        still.ran += still.begun && now.ran > t->usage.ran ? now.ran - t->usage.ran : 0;
        still.wanted += still.begun && now.waited > t->usage.waited ? now.waited - t->usage.waited : 0;
        t->usage = now;
        if (mover != NOBODY && pause_of(t) > still.pause)
            still.pause = pause_of(t);
        excused |= mover == READER || (mover == ITSELF && !t->vforking && task_state(t) == 'D');
    }
    return excused;
}

/* Ends the replay if for longer than it may take no event of the log has happened: those that mostly sleep
 * wait in vain, the others compute much longer than when recorded.  What was not our time, as the machine
 * was stopped, does not count. */
void replay_end_if_still(void)
{
    enum { LOOK_NS = 500000000, SLEEP_NS = 1000000000 };
    const ull waits_ns = 10000000000, computes_ns = 30000000000;
    ull now = log_now(), passed = now - still.looked;
    if (passed < LOOK_NS)
        return;
    if (still.done != replay_progress) {
        memset(&still, 0, sizeof still);
        still.done = replay_progress;
        still.looked = now;
        return;
    }
    bool excused = take_stock();
    if (still.begun && !excused)
        still.waited += passed < SLEEP_NS ? passed : SLEEP_NS;
    still.begun = true;
    still.looked = now;
    bool sleeps = 2 * (still.ran + still.wanted) < still.waited;
    if ((sleeps && still.waited > waits_ns + 2 * still.pause) || still.ran > computes_ns + 5 * still.pause)
        end();
}

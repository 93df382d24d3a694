/* Replay: when all that still runs waits for what will not come, the replay ends and says so.
 *
 * What is outside is answered from the log, so that only three things can still move a task that
 * sleeps: another task, a point in time, and who reads the program's output. */
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

/* Whether the task may go on though no other task does. */
static bool may_move(struct task *t)
{
    char name[64], line[256] = "";
    ull args[6] = {0};
    long nr = -1;
    if (!t->started || t->held || t->parked || t->blocked || t->listening || (serial_on && t->vforking))
        return !t->started;
    char state = task_state(t);
    if (state == 'Z' || state == 'X')
        return false;
    if (state != 'S')
        return true;
    snprintf(name, sizeof name, "/proc/%d/task/%d/syscall", t->leader->tid, t->tid);
    FILE *f = fopen(name, "re");
    if (!f)
        return true;
    bool in_call = fgets(line, sizeof line, f)
        && sscanf(line, "%ld %llx %llx %llx %llx %llx %llx", &nr, &args[0], &args[1], &args[2], &args[3], &args[4], &args[5]) == 7;
    fclose(f);
    if (!in_call || is_timed(nr, args))
        return true;
    uint32_t stream = pipe_gives(nr) ? files_stream(t->files, (int)args[0]) : 0;
    return stream == 2 || stream == 3;
}

/* No report for a while; last: when the last came. */
void replay_end_if_stuck(ull last)
{
    struct task *waits = NULL;
    if (log_now() - last < SHORT_NS)
        return;
    for (struct task *t = tasks; t; t = t->next)
        if (t->alive && may_move(t))
            return;
        else if (t->alive && t->script && replay_next(t) && (!waits || replay_next(t)->number < replay_next(waits)->number))
            waits = t;
    if ((!serial_on && replay_send_left()) || log_now() - last < PATIENCE_NS)
        return;
    waits = waits ? waits : tasks;
    replay_diverged(waits, NULL, "the replay cannot go on");
    report_line("the replay was ended=its processes waited for each other, or for what did not come");
    replay_stop(125 << 8);
}

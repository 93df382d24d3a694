/* Where tracer and tracees run: on one processor while only one of them has work at a time.
 *
 * A stop hands on to the tracer and back.  On two processors each hand-over wakes the other one up from
 * its sleep, which takes longer than the stop; on one it is a switch of process.  Where stops come
 * thick, all are bound to one; where they no longer do, or a second tracee computes meanwhile, all get
 * back the processors that they had.  No program sees it: who asks for its processors has them back before. */
#include "engine.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/time.h>

enum {
    LOOK_STOPS = 64, THICK_NS = 25000000,  /* between two looks; stops come thick if that takes no longer */
    BEAT_US = 10000, FEW_STOPS = 16,       /* bound: fewer in a beat are not worth it */
    COMPUTES_NS = 3000000, MOST_TASKS = 24, MOST_BEATS = 64,
    CROWDED = 6, CALM = 4, MOST_CALM = 1024,
};

static cpu_set_t all;
static bool able, bound;
static ull stops, stops_at_beat, looked;
static volatile sig_atomic_t resting;
static uint32_t *showing;          /* streams that tell where a process may run */
static size_t showing_count;

static int crowd;                  /* more for each look that finds one, less for others */
static int calm = CALM;            /* the most that it becomes while they are not bound: so long is waited */

static void place_all(const cpu_set_t *where)
{
    sched_setaffinity(0, sizeof *where, where);
    for (struct task *t = tasks; t; t = t->next)
        if (t->alive)
            sched_setaffinity(t->tid, sizeof *where, where);
}

static void set_beat(long us)
{
    struct itimerval every = {.it_interval = {0, us}, .it_value = {0, us}};
    setitimer(ITIMER_REAL, &every, NULL);
    stops_at_beat = stops;
}

static void gather(void)
{
    unsigned cpu = 0;
    cpu_set_t one;
    if (bound || syscall(SYS_getcpu, &cpu, NULL, NULL) || cpu >= CPU_SETSIZE)
        return;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    place_all(&one);
    bound = true;
    set_beat(BEAT_US);
}

static void spread(void)
{
    if (!bound)
        return;
    set_beat(0);
    place_all(&all);
    bound = false;
}

/* ------------------------------------------------------------------ looks */

/* A task that runs does so without a stop, at this look and some time before. */
static bool computes(struct task *t)
{
    ull ran = task_usage(t).ran;
    if (t->stops != t->stops_seen) {
        t->stops_seen = t->stops;
        t->ran_seen = ran;
    }
    return ran - t->ran_seen > COMPUTES_NS;
}

static bool others_compute(const struct task *stopped)
{
    int count = 0;
    for (struct task *t = tasks; t; t = t->next)
        if (t->alive && t->started && t != stopped && (++count > MOST_TASKS || (task_state(t) == 'R' && computes(t))))
            return true;
    return false;
}

static void look(const struct task *t)
{
    ull now = log_now();
    bool thick = now - looked < THICK_NS;
    looked = now;
    crowd += others_compute(t) ? 2 : crowd > 0 ? -1 : 0;
    if (bound && crowd >= CROWDED) {
        spread();
        calm = calm < MOST_CALM ? calm * 2 : calm;
        crowd = calm;
    } else if (!bound && crowd > calm)
        crowd = calm;
    else if (!bound && !crowd && thick)
        gather();
}

/* A tracee is at a stop, and not yet resumed. */
void place_stopped(struct task *t)
{
    t->stops++;
    if (able && ++stops % LOOK_STOPS == 0)
        look(t);
}

/* Time has passed.  Who computes is not bound; and now and then the kernel chooses the processor anew, as
 * others may have come to this one.  While the tracer does something else stops do come. */
static void on_beat(int sig)
{
    static unsigned beats;
    (void)sig;
    int error = errno;
    if (resting && (stops - stops_at_beat < FEW_STOPS || ++beats % MOST_BEATS == 0))
        spread();
    stops_at_beat = stops;
    errno = error;
}

/* The tracer waits for reports, and leaves alone what there is of tasks. */
void place_rest(bool rests)
{
    resting = rests;
}

/* ------------------------------------------------------------------ who asks */

/* The status of a process tells where it may run. */
void place_opened(const char *path, uint32_t stream)
{
    const char *name = strrchr(path, '/');
    if (!name || strcmp(name, "/status"))
        return;
    showing = grow(showing, showing_count, sizeof *showing);
    showing[showing_count++] = stream;
}

/* A call begins, which may ask for processors, or choose them. */
void place_asked(const struct task *t)
{
    bool asks = t->nr == REX_NR_sched_getaffinity || t->nr == REX_NR_sched_setaffinity;
    for (size_t i = 0; i < showing_count && !asks; i++)
        asks = t->stream == showing[i];
    if (asks)
        spread();
    able &= t->nr != REX_NR_sched_setaffinity;
}

/* Before there are tracees. */
void place_start(void)
{
    const char *wanted = getenv("REX_BIND");
    able = !sched_getaffinity(0, sizeof all, &all) && CPU_COUNT(&all) > 1 && handler != &live && !(wanted && *wanted == '0');
    struct sigaction a = {.sa_handler = on_beat, .sa_flags = SA_RESTART};
    if (able && !sigaction(SIGALRM, &a, NULL))
        gather();
}

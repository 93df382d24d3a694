/* Where tracer and tracees run: on one processor while only one tracee can run.
 *
 * A stop switches to the tracer and back.  On two processors each switch wakes the other one from
 * sleep, which takes longer than the stop; on one processor it is a context switch.  If stops are frequent and
 * all other tracees wait for their children, all are bound to one processor.  Otherwise all have their former processors,
 * so that tasks race as they would untraced.  Programs do not see this: a query of the affinity restores it first. */
#include "base/base.h"
#include "engine/engine.h"
#include "engine/internal.h"
#include "log/log.h"
#include "mode/mode.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/time.h>

enum {
    LOOK_STOPS = 64, THICK_NS = 25000000,  /* stops come thick if so many take no longer */
    BEAT_US = 10000, FEW_STOPS = 16,       /* bound: fewer in a beat are not worth it */
    MOST_BEATS = 64,
};

static cpu_set_t all;
static bool able, bound;
static volatile sig_atomic_t thick = true, resting;
static ull stops, stops_at_beat, looked;
static struct streams showing;     /* that show where a process may run */

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

/* ------------------------------------------------------------------ when */

static bool waits_for_children(struct task *t)
{
    const struct rex_call *c = t->state == CALL_NONE ? NULL : call_of(t->nr);
    return t->held || t->parked
        || (c && (c->hook == REX_HOOK_WAIT || c->hook == REX_HOOK_PAUSE || (c->hook == REX_HOOK_FORK && fork_flags(t) & CLONE_VFORK)));
}

static bool is_alone(const struct task *stopped)
{
    for (struct task *t = tasks; t; t = t->next)
        if (t->alive && t != stopped && !waits_for_children(t))
            return false;
    return true;
}

/* A tracee is at a stop, and not yet resumed. */
void place_stopped(const struct task *t)
{
    if (!able)
        return;
    if (++stops % LOOK_STOPS == 0) {
        ull now = log_now();
        thick = now - looked < THICK_NS;
        looked = now;
    }
    if (!thick)
        return;
    if (is_serialized() || is_alone(t))
        gather();
    else
        spread();
}

/* Time has passed.  A task that computes is not bound.  From time to time the kernel chooses the processor again, as
 * other programs may have moved to this one.  Stops may arrive while the tracer does something else. */
static void on_beat(int sig)
{
    static unsigned beats;
    (void)sig;
    int error = errno;
    if (resting && (stops - stops_at_beat < FEW_STOPS || ++beats % MOST_BEATS == 0)) {
        thick = false;
        spread();
    }
    stops_at_beat = stops;
    errno = error;
}

/* The tracer waits for reports, and leaves alone what there is of tasks. */
void place_rest(bool rests)
{
    resting = rests;
}

/* ------------------------------------------------------------------ queries of the affinity */

/* The status file of a process shows where it may run. */
void place_opened(const char *path, uint32_t stream)
{
    const char *name = strrchr(path, '/');
    if (name && !strcmp(name, "/status"))
        streams_add(&showing, stream);
}

/* A call begins, which may query its processors, or choose them. */
void place_asked(const struct task *t)
{
    if (t->nr == REX_NR_sched_getaffinity || t->nr == REX_NR_sched_setaffinity || streams_have(&showing, t->stream))
        spread();
    able &= t->nr != REX_NR_sched_setaffinity;
}

/* Before there are tracees. */
void place_start(void)
{
    const char *wanted = getenv("REX_BIND");
    able = !sched_getaffinity(0, sizeof all, &all) && CPU_COUNT(&all) > 1 && run_mode->is_fast && !(wanted && *wanted == '0');
    struct sigaction a = {.sa_handler = on_beat, .sa_flags = SA_RESTART};
    if (able && !sigaction(SIGALRM, &a, NULL))
        gather();
}

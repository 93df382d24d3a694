/* Replay: a log that no recorder wrote may keep the engine itself busy for ever, within one step.
 * A timer of our own processor time, which does not run while tracees do, looks whether steps still end. */
#include "base/base.h"
#include "replay/index/index.h"
#include "replay/progress/progress.h"

#include <sys/time.h>

/* A step may look at each event of a log, and loading one at each of them several times. */
enum { TICK_S = 1, PATIENCE_S = 10, EVENTS_A_SECOND = 100000 };

static volatile sig_atomic_t steps;

void replay_note_step(void)
{
    steps++;
}

static void look(int sig)
{
    static sig_atomic_t seen;
    static size_t loaded, ticks;
    (void)sig;
    ticks = seen == steps && loaded == event_count ? ticks + 1 : 0;
    seen = steps;
    loaded = event_count;
    if (ticks > PATIENCE_S + event_count / EVENTS_A_SECOND)
        die_at_once("the log keeps the replay busy without an end; rex check tells whether it is damaged");
}

void replay_watch_engine(void)
{
    struct sigaction action = {.sa_handler = look, .sa_flags = SA_RESTART};
    struct itimerval timer = {{TICK_S, 0}, {TICK_S, 0}};
    sigaction(SIGVTALRM, &action, NULL);
    setitimer(ITIMER_VIRTUAL, &timer, NULL);
}

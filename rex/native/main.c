/* rex-engine PLAN: run the plan; the exit status is that of the engine itself.
 * rex-engine put SCRIPT [ARG...]: put back what a step left; the exit status is the step's. */
#include "base/base.h"
#include "callstack/callstack.h"
#include "cpu/cpu.h"
#include "engine/engine.h"
#include "fastpath/fastpath.h"
#include "live/live.h"
#include "mode/mode.h"
#include "put/put.h"
#include "record/record.h"
#include "replay/index/index.h"
#include "replay/pipes/pipes.h"
#include "replay/replay.h"
#include "tracee/tracee.h"
#include "track/track.h"
#include "turns/turns.h"

#include <string.h>
#include <sys/prctl.h>

static const struct observer *const watching[] = {
    &turns_observer, &fastpath_observer, &callstack_observer, &counter_observer, &pipe_observer, &output_observer,
    &record_observer, &task_log_observer, &moved_observer, NULL,
};

static const struct mode *chosen(const char *name)
{
    if (!strcmp(name, replayer.name))
        return &replayer;
    if (!strcmp(name, live.name))
        return plan.log ? &live_recorded : &live;
    return &recorder;
}

int main(int argc, char **argv)
{
    if (argc > 2 && !strcmp(argv[1], "put"))
        return put_back(argv[2]);
    if (argc != 2) {
        fputs("usage: rex-engine PLAN\n", stderr);
        return 2;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);     /* tracees end with the process that started the engine */
    standard_hold();
    plan_read(argv[1]);
    report_open(plan.report);
    run_mode = chosen(plan.mode);
    observers = watching;
    hidden_start();
    run_mode->begin();
    fast_start();
    int status = trace();
    run_mode->finish();
    report_finish(status);
    return 0;
}

/* rex-engine PLAN: run the plan; the exit status tells only of the engine itself. */
#include "engine.h"
#include "fast.h"

#include <fcntl.h>
#include <stdarg.h>
#include <sys/prctl.h>

static FILE *report;

void report_line(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (report) {
        vfprintf(report, format, list);
        fputc(0, report);                 /* values may hold newlines */
    }
    va_end(list);
}

/* The caller tells the user; without a report we do. */
void die(const char *format, ...)
{
    char message[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    if (report) {
        report_line("died=%s", message);
        fflush(report);
    } else
        fprintf(stderr, "rex-engine: %s\n", message);
    _exit(2);          /* tracees go with us: PTRACE_O_EXITKILL */
}

static void finish(int status)
{
    report_line("status=%d", status);
    if (report && fclose(report))
        die("cannot write %s: %s", plan.report, strerror(errno));
}

void replay_stop(int status)
{
    replay_finish(status);
    finish(status);
    _exit(0);          /* tracees go with us: PTRACE_O_EXITKILL */
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("usage: rex-engine PLAN\n", stderr);
        return 2;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);     /* nothing runs on without who asked for it */
    plan_read(argv[1]);
    if (plan.report && !(report = fopen(plan.report, "we")))
        die("cannot write %s: %s", plan.report, strerror(errno));
    bool replaying = !strcmp(plan.mode, "replay");
    handler = replaying ? &replayer : strcmp(plan.mode, "live") ? &recorder : &live;
    if (replaying)
        replay_start();
    else if (handler == &live)
        live_start();
    else
        record_start();
    fast_start();
    int status = trace();
    if (replaying)
        replay_finish(status);
    else if (handler == &recorder || live_is_recorded()) {
        serial_finish();
        log_close();
        record_report();
        if (handler == &live)
            view_report();
    }
    finish(status);
    return 0;
}

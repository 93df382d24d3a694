/* Replay: where it leaves the log, and where its output differs. */
#include "base/base.h"
#include "log/log.h"
#include "mode/mode.h"
#include "replay/index/index.h"
#include "replay/rules/explain.h"
#include "replay/rules/rules.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"

#include <sched.h>

static ull divergences, mismatches;

static const char *name_of(long nr)
{
    const struct rex_call *c = call_of(nr);
    return c ? c->name : nr == EVENT_SIGNAL ? "signal" : nr == EVENT_TSC ? "rdtsc" : nr == EVENT_PIPE ? "pipe" : nr == EVENT_RANDOM ? "rdrand" : nr == EVENT_SHARED ? "lock" : "?";
}

static char *event_text(const struct event *e)
{
    const struct field *f = record_field(e->record, FIELD_WHOLE, FIELD_IN);
    bool path = call_of(e->record->call) && call_of(e->record->call)->key == REX_KEY_PATH;
    return path && f ? text("%s \"%.*s\"", name_of(e->record->call), (int)f->length, f->data) : strdup(name_of(e->record->call));
}

/* What threads do may depend on their order, and others then on that. */
static bool may_race(void)
{
    for (uint32_t i = 0; i < task_log_total() && !is_serialized(); i++)
        if (task_log_of(i)->birth && task_log_of(i)->birth->args[2] & CLONE_THREAD)
            return true;
    return false;
}

static void report_divergence(const struct event *e, uint32_t task, const char *why, const char *asked, const char *path)
{
    if (divergences++ == 0) {
        char *logged = e ? event_text(e) : strdup("nothing more");
        report_line("divergence=%u\t%u\t%d\t%s\t%s%s%s%s\t%s", event_shown(e),
                    task, may_race(), why, asked, path ? " \"" : "", path ? path : "", path ? "\"" : "", logged);
        free(logged);
    }
}

/* e: what the log has instead, NULL for the task's next event. */
void replay_diverged(struct task *t, const struct event *e, const char *why)
{
    if (!divergences)
        report_line("divergence_rule=%s", explain_text(t));
    report_divergence(e ? e : replay_next(t), t->task_log ? t->task_log->index : UINT32_MAX, why, name_of(t->nr), t->path);
}

/* e: the first that does, NULL at the end of the log. */
static void differs(const struct event *e, uint32_t stream)
{
    if (mismatches++ == 0)
        report_line("output_differs=%u\t%u\t%d", event_shown(e), stream, may_race());
}

/* What t writes is not in the log. */
void replay_output_differs(struct task *t)
{
    differs(replay_next(t), t->stream);
}

void replay_mismatch(const struct event *e)
{
    differs(e, e->record->stream);
}

/* Nobody writes it any more. */
void replay_unwritten(const struct event *e)
{
    const struct record *r = e->record;
    if (r->result <= 0 || !replay_is_output(r->stream, r->call))
        return;
    report_divergence(e, r->task, e->written ? "written in part" : "never written", "nothing more", NULL);
    replay_mismatch(e);
}

/* What was written when recorded and is not now, or in part, by a task that never existed, or that did less.  If the replay is to stop after a step, the rest does not count. */
static void miss_outputs(void)
{
    for (size_t i = 0; (divergences || plan.gate < 0) && i < event_count; i++)
        if (!events[i].done)
            replay_unwritten(&events[i]);
}

void divergence_ends(void)
{
    miss_outputs();
    report_line("divergences=%llu", divergences);
    report_line("mismatches=%llu", mismatches);
}

void replay_stop(int status)
{
    run_mode->finish();
    report_finish(status);
    _exit(0);          /* tracees go with us: PTRACE_O_EXITKILL */
}

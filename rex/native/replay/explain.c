/* The explanation of a replay: a line for each event that happens, which rex/explain.py reads.
 * Its number, the task, the row of match_rules that found it, the gate that held it last ("-": none), and for how long, ns. */
#include "base/base.h"
#include "log/log.h"
#include "replay/explain.h"
#include "replay/index/index.h"
#include "tracee/task.h"

static FILE *lines;

void explain_begins(struct task *t)
{
    t->explained = (struct explained){0};
}

void explain_rule(struct task *t, const char *name)
{
    t->explained.rule = name;
}

void explain_match(struct task *t, const char *name)
{
    t->explained.match = name;
}

void explain_hold(struct task *t, const char *gate)
{
    if (!t->explained.gate)
        t->explained.since = log_now();
    t->explained.gate = gate;
}

void explain_done(struct task *t, const struct event *e)
{
    const struct explained *x = &t->explained;
    if (!plan.explain || !e)
        return;
    if (!lines && !(lines = fopen(plan.explain, "we")))
        die("cannot write %s: %s", plan.explain, strerror(errno));
    fprintf(lines, "%u\t%u\t%s\t%s\t%llu\n", e->number, t->script ? t->script->index : UINT32_MAX, x->match ? x->match : "-",
            x->gate ? x->gate : "-", x->gate ? (ull)(log_now() - x->since) : 0);
}

const char *explain_text(const struct task *t)
{
    static char line[256];
    const struct explained *x = &t->explained;
    snprintf(line, sizeof line, "%s\t%s\t%s\t%llu", x->rule ? x->rule : "-", x->match ? x->match : "-", x->gate ? x->gate : "-",
             x->gate ? (ull)(log_now() - x->since) : 0);
    return line;
}

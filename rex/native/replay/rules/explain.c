/* The explanation of a replay, which rex/explain.py reads.
 * A line for each event that happens: its number, the task, the row of match_rules that found it, the gate that held it last ("-":
 * none), and for how long, ns.  At the end a line for each row of any table that acted: its name, and how often. */
#include "base/base.h"
#include "log/log.h"
#include "replay/rules/explain.h"
#include "replay/index/index.h"
#include "tracee/task.h"

enum { MOST_ROWS = 128 };                /* of all tables together */

struct explained *explained(const struct task *t)
{
    return module_state(t, EXPLAIN_STATE, sizeof(struct explained));
}

static FILE *lines;

static struct { const char *name; ull times; } acted[MOST_ROWS];

void explain_acted(const char *name)
{
    size_t i = 0;
    while (plan.explain && i < MOST_ROWS && acted[i].name && acted[i].name != name)
        i++;
    if (!plan.explain || i == MOST_ROWS)
        return;
    acted[i].name = name;
    acted[i].times++;
}

static FILE *explanation(void)
{
    if (!lines && !(lines = fopen(plan.explain, "we")))
        die("cannot write %s: %s", plan.explain, strerror(errno));
    return lines;
}

void explain_ends(void)
{
    for (size_t i = 0; i < MOST_ROWS && acted[i].name; i++)
        fprintf(explanation(), "%s\t%llu\n", acted[i].name, acted[i].times);
    if (lines)
        fclose(lines);
    lines = NULL;
}

void explain_begins(struct task *t)
{
    *explained(t) = (struct explained){0};
}

void explain_rule(struct task *t, const char *name)
{
    explained(t)->rule = name;
}

void explain_match(struct task *t, const char *name)
{
    explained(t)->match = name;
}

void explain_hold(struct task *t, const char *gate)
{
    struct explained *x = explained(t);
    if (!x->gate)
        x->since = log_now();
    x->gate = gate;
}

void explain_done(struct task *t, const struct event *e)
{
    const struct explained *x = explained(t);
    if (!plan.explain || !e)
        return;
    fprintf(explanation(), "%u\t%u\t%s\t%s\t%llu\n", event_shown(e), t->task_log ? t->task_log->index : UINT32_MAX, x->match ? x->match : "-",
            x->gate ? x->gate : "-", x->gate ? (ull)(log_now() - x->since) : 0);
}

const char *explain_text(const struct task *t)
{
    static char line[256];
    const struct explained *x = explained(t);
    snprintf(line, sizeof line, "%s\t%s\t%s\t%llu", x->rule ? x->rule : "-", x->match ? x->match : "-", x->gate ? x->gate : "-",
             x->gate ? (ull)(log_now() - x->since) : 0);
    return line;
}

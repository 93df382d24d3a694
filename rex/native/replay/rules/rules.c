/* The loops over the tables of rules. */
#include "base/base.h"
#include "log/log.h"
#include "replay/index/index.h"
#include "replay/rules/explain.h"
#include "replay/rules/rules.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

/* By the variable REX_RULES, for tests: "-name,-name". */
bool rule_is_on(const char *name)
{
    static const char *wish;
    if (!wish && !(wish = getenv("REX_RULES")))
        wish = "";
    size_t n = *wish ? strlen(name) : 0;
    for (const char *at = wish; n && (at = strstr(at, name)); at += n)
        if (at > wish && at[-1] == '-' && (at == wish + 1 || at[-2] == ',') && (!at[n] || at[n] == ','))
            return false;
    return true;
}

bool rules_act(const struct rule *table, struct request *q)
{
    for (const struct rule *rule = table; rule->name; rule++) {
        if (!rule_is_on(rule->name))
            continue;
        explain_rule(q->t, rule->name);   /* a row of another table may say more */
        if (rule->acts(q)) {
            explain_acted(rule->name);
            return true;
        }
    }
    return false;
}

bool replay_may_happen(struct task *t, const struct event *e)
{
    for (const struct gate *gate = gates; gate->name; gate++) {
        enum verdict verdict = rule_is_on(gate->name) ? gate->asks(t, e) : PASS;
        if (verdict == HOLD)
            explain_hold(t, gate->name);
        if (verdict == HOLD)
            explain_acted(gate->name);
        if (verdict != PASS)
            return verdict == GO;
    }
    return true;
}

static bool is_tried(const struct match_rule *rule, const struct event *found, bool is_over, long nr, struct task *t)
{
    bool is_due = rule->phase == DECIDE || rule->phase == REFINE || (rule->phase == FALL_BACK ? !found : !is_over);
    return is_due && rule_is_on(rule->name) && (!rule->applies || rule->applies(t, nr));
}

/* Of a task on which nothing else depends the log is one sequence: what it leaves out is a divergence. */
static void look_for_skipped(struct task *t, const struct event *found, const struct event *expected)
{
    if (found && found != expected && !has_shared_work(t) && !found->ordered && !replay_is_pipe_stat(found)
        && !replay_is_pipe_stat(expected) && !replay_is_pace(expected->record->call))
        replay_diverged(t, expected, "skipped");
}

struct event *replay_match(struct task *t, long nr, uint64_t key)
{
    struct event *found = NULL, *expected = replay_next(t);
    bool is_over = false;
    for (const struct match_rule *rule = match_rules; rule->name; rule++) {
        if (rule->phase == FALL_BACK && rule[-1].phase != FALL_BACK)
            look_for_skipped(t, found, expected);
        if (!is_tried(rule, found, is_over, nr, t))
            continue;
        struct event *before = found;
        found = rule->match(t, found, nr, key);
        is_over |= found || rule->phase == FIND_ONLY;
        if (found != before) {
            explain_acted(rule->name);
            explain_match(t, rule->name);
        }
        if (rule->phase == DECIDE && found)
            return found;
    }
    if (found)
        found->taker = t;
    return found;
}

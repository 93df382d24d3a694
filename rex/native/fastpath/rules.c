/* The fast path: how each call is performed in tracees, by its number. */
#include "base/base.h"
#include "fastpath/area.h"
#include "fastpath/internal.h"
#include "log/log.h"
#include "mode/mode.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <sys/ioctl.h>

struct rule fast_rules[RULE_COUNT];
_Static_assert(sizeof fast_rules <= FAST_SITES - FAST_RULES, "the rules have room in the area");

/* Stops for the sake of its descriptor, the first argument, and does nothing else to it. */
static bool is_plain(const struct rex_call *c)
{
    bool only_that = c && (c->hook == REX_HOOK_NONE || c->hook == REX_HOOK_CLOSE);
    return only_that && c->policy == REX_STREAM && c->stop == REX_STOP_STD && c->fd_args == 1;
}

/* With a seed the tracer must see what draws, and the names that are borders of cells. */
static bool is_fast_query(const struct rex_call *c)
{
    long nr = c - rex_calls;
    return c->query && c->arg[0].word != REX_WORD_RESOURCE && !(plan.seed && (op_of(nr) == REX_OP_ACCESS || nr == REX_NR_getrandom));
}

/* Of a file by its descriptor or name, see fastpath/stub_change.h; a directory that is there cannot be made.  A removal is recorded at a stop. */
static bool is_fast_change(const struct rex_call *c)
{
    enum rex_op op = op_of(c - rex_calls);
    bool removes = op == REX_OP_UNLINK || op == REX_OP_RMDIR;
    return uses_log() && !plan.seed && c->hook == REX_HOOK_TREE
        && (op == REX_OP_CHMOD || op == REX_OP_CHOWN || op == REX_OP_UTIME || op == REX_OP_SETXATTR || op == REX_OP_MKDIR
            || (removes && run_mode->replays));
}

/* What a change needs to know of its arguments. */
static void rule_of_change(struct rule *rule, const struct rex_call *c)
{
    rule->key = (uint8_t)op_of(c - rex_calls);
    for (int i = 0; i < c->nargs; i++)
        if (c->arg[i].word == REX_WORD_PATH)
            rule->path = (uint8_t)i;
        else if (c->arg[i].word == REX_WORD_ATFLAGS)
            rule->flags = i & NO_FLAGS;
    rule->nofollow = c->nofollow;
}

static enum rule_kind kind_of(const struct rex_call *c, long nr)
{
    if (nr == REX_NR_write)
        return RULE_SAY;
    if (is_plain(c))
        return RULE_PLAIN;
    if (!c)
        return RULE_NONE;
    if (is_fast_query(c))
        return RULE_QUERY;
    if (is_fast_change(c))
        return RULE_CHANGE;
    if (nr == REX_NR_fcntl && run_mode->logs && !plan.seed)
        return RULE_DUPLICATE;
    return nr == REX_NR_openat && !plan.seed ? RULE_OPEN : RULE_NONE;
}

static struct rule rule_of(long nr)
{
    const struct rex_call *c = call_of(nr);
    struct rule rule = {.kind = kind_of(c, nr) & 15, .path = 255, .key = 255, .place = 255, .count = 255, .flags = NO_FLAGS,
                        .answer = {{.limit = 255}, {.limit = 255}, {.limit = 255}}};
    if (rule.kind == RULE_OPEN)
        rule.key = 0, rule.path = 1;
    if (rule.kind == RULE_CHANGE)
        rule_of_change(&rule, c);
    if (nr == REX_NR_ioctl && !log_is_plain)
        rule.key = 1;                     /* logs of the reference engine do not say which descriptors are non-blocking */
    for (int i = 0; rule.kind == RULE_QUERY && i < c->nargs; i++)
        if (c->arg[i].word == REX_WORD_PATH || c->arg[i].word == REX_WORD_STR)
            rule.path = (uint8_t)i;
        else if (c->arg[i].dir == REX_OUT) {
            rule.answer[rule.answers].arg = (uint8_t)i;
            rule.answer[rule.answers].limit = c->arg[i].size_arg;
            rule.answer[rule.answers].unit = c->arg[i].size_kind == REX_SIZE_RET ? (uint8_t)c->arg[i].unit : 0;
            rule.answer[rule.answers++].size = (uint16_t)c->arg[i].unit;
            if (op_of(nr) == REX_OP_LIST) {
                rule.count = (uint8_t)(i + 1);
                rule.lists_as_of_old = c->arg[i].word == REX_WORD_DIRENT;
            }
        } else if (c->arg[i].word == REX_WORD_ATFLAGS)
            rule.flags = i & NO_FLAGS;
    rule.nofollow = c && c->nofollow;
    if (rule.kind == RULE_QUERY && (c->key == REX_KEY_ARG || c->fd_args & 1))
        rule.key = c->key == REX_KEY_ARG ? c->key_arg : 0;
    rule.by_fd = rule.kind == RULE_QUERY && c->key != REX_KEY_ARG && (c->fd_args & 1 || rule.flags != NO_FLAGS);
    if (nr == REX_NR_clock_gettime)
        rule.place = 1;
    rule.repeats = rule.kind == RULE_QUERY && rule.count > 5;
    rule.nargs = c ? c->nargs & 7 : 0;
    return rule;
}

void fast_rules_start(void)
{
    for (long nr = 0; nr < RULE_COUNT; nr++)
        fast_rules[nr] = rule_of(nr);
}

bool fast_rules_write(const struct task *t)
{
    return mem_write(t->tid, FAST_RULES, fast_rules, sizeof fast_rules);
}

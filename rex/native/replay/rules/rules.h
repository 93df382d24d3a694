/* replay/rules: the rules of a replay, as data.
 *
 * A call goes down `entry_rules` until one acts.  Its logged event is found by `match_rules`, may happen once all `gates` are
 * open, and a call without an event goes down `unlogged_rules`.  The order within a table is the design: each row says why it
 * stands where it stands.  REX_RULES=-name,-name leaves rows out. */
#ifndef REX_REPLAY_RULES_H
#define REX_REPLAY_RULES_H

#include "base/base.h"

struct event;
struct rex_call;
struct task;

/* The call that a task has come to. */
struct request {
    struct task *t;
    const struct rex_call *call;
    uint64_t key;                        /* what an event must equal, see call_key() */
    struct event *next;                  /* what the task's log has next, of a process of which one thread is active */
    bool external, shares, moves, arranges;    /* on an external descriptor; on a shared file; bytes of an inner pipe; descriptors */
    /* of unlogged_rules */
    struct event *last;                  /* the answer given to an equal call before; NULL: none */
    bool asks_limit, is_beyond;
};

/* A row returns whether it has handled the call: then the others are not tried. */
struct rule {
    const char *name;
    bool (*acts)(struct request *q);
};
extern const struct rule entry_rules[], unlogged_rules[];      /* up to a row without a name */

/* DECIDE: what it gives is the answer.  FIND: the first that gives an event is taken, FIND_ONLY: nothing, too.  REFINE: each may give
 * another event instead.  FALL_BACK: as FIND, where nothing was found. */
enum match_phase { DECIDE, FIND, FIND_ONLY, REFINE, FALL_BACK };
struct match_rule {
    const char *name;
    enum match_phase phase;
    bool (*applies)(struct task *t, long nr);                  /* NULL: always */
    struct event *(*match)(struct task *t, struct event *found, long nr, uint64_t key);
};
extern const struct match_rule match_rules[];

/* Whether an event may happen now.  GO: whatever the later gates say. */
enum verdict { PASS, HOLD, GO };
struct gate {
    const char *name;
    enum verdict (*asks)(struct task *t, const struct event *e);
};
extern const struct gate gates[];

bool rule_is_on(const char *name);
bool rules_act(const struct rule *table, struct request *q);
bool replay_may_happen(struct task *t, const struct event *e);
struct event *replay_match(struct task *t, long nr, uint64_t key);    /* the event that answers it, now taken; NULL: none */

/* divergence.c */
void replay_stop(int status) __attribute__((noreturn));  /* all that was wanted has happened, or can */
void divergence_ends(void);  /* what was not written, and how often all this was so */
void replay_diverged(struct task *t, const struct event *e, const char *why);
void replay_mismatch(const struct event *e);
void replay_output_differs(struct task *t);
void replay_unwritten(const struct event *e);

#endif

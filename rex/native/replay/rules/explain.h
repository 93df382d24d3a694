/* Which rule acted on an event, what it waited for and for how long: `rex replay --explain`. */
#ifndef REX_REPLAY_EXPLAIN_H
#define REX_REPLAY_EXPLAIN_H

#include "base/base.h"

struct event;
struct task;

/* What acted on a task's call; the gate that held it last, and since when any did. */
struct explained { const char *rule, *match, *gate; ull since; };
struct explained *explained(const struct task *t);

void explain_begins(struct task *t);                  /* a call has come */
void explain_acted(const char *name);                 /* a row of any table has */
void explain_ends(void);
void explain_rule(struct task *t, const char *name);
void explain_match(struct task *t, const char *name);
void explain_hold(struct task *t, const char *gate);
void explain_done(struct task *t, const struct event *e);
const char *explain_text(const struct task *t);       /* of its call, in a static buffer: the rules up to now */

#endif

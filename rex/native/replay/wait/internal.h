/* replay/wait: what its files share with each other only. */
#ifndef REX_REPLAY_WAIT_INTERNAL_H
#define REX_REPLAY_WAIT_INTERNAL_H

#include "base/base.h"
#include "tracee/task.h"

struct event;
struct task;
/* The state that this module keeps for each task. */
struct wait_state {
    uint64_t wait_began, lasts;          /* of a wait; of a futex wait, from a reading for its timeout alone */
    bool is_forced;                      /* gets what is external though it may not have come */
    bool is_next_outside;                /* what its wait ends with is next in the log */
    uint64_t waits_at; unsigned waits_on;    /* how often a wait went on as it had run out, with others at that place: see timed_futex.c */
    bool ticked;                         /* it has waited for its timer */
};

static inline struct wait_state *wait_state(const struct task *t)
{
    return module_state(t, WAIT_STATE, sizeof(struct wait_state));
}

enum { FEW = 4096 };                     /* descriptors of a poll that is looked into */

/* epoll_registry.c */
bool replay_epoll_stream(const struct task *t, const struct event *e, uint64_t data, uint32_t *stream);  /* what the log's data stood for, see replay/wait/epoll_registry.c */

/* poll.c */
void replay_wait_for_signal(struct task *t, const struct event *e);
bool replay_is_awaited(struct task *t, int fd);  /* an inner descriptor that must be ready before its process goes on */
void replay_wait_inside(struct task *t);
void replay_wait_longer(struct task *t, const struct event *e);

/* epoll_watches.c: by process and epoll descriptor */
struct epoll_watch { pid_t tgid; int epoll, fd; uint64_t data; uint32_t events, stream; bool inner; };
const struct epoll_watch *epoll_watch_for(struct task *t, const struct event *e, uint64_t data);  /* what has the place of the log's data now; NULL: nothing */
bool epoll_is_not_yet_watched(struct task *t, const struct event *e, uint64_t data);  /* another thread is still to register it */
bool epoll_is_another(struct task *t, const struct event *e);  /* e reports external descriptors that this epoll descriptor does not watch */
bool replay_is_watched(struct task *t, uint64_t data, bool inner);  /* registered with epoll, as external */

/* external_results.c */
void replay_report_external(struct task *t, struct event *e);  /* a thread polls again for the rest */

#endif

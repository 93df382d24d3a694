/* replay/wait: poll, select, epoll_wait and timed waits.
 * Internal descriptors are polled for real; external ones become ready in log order. */
#ifndef REX_REPLAY_WAIT_WAIT_H
#define REX_REPLAY_WAIT_WAIT_H

#include "base/base.h"

struct event;
struct record;
struct task;

/* epoll_registry.c */
bool replay_makes_epoll(long nr);

/* epoll_watches.c */
bool replay_epoll_ctl(struct task *t);  /* it can run: external descriptors are only remembered */
void replay_epoll_made(struct task *t, int64_t number);

/* poll.c */
void replay_poll(struct task *t, struct event *e);
void replay_poll_exit(struct task *t, struct event *e, int64_t result);
uint64_t replay_wait_limit(struct task *t, uint64_t passed);  /* how long a wait for readiness may last, ns; as it is where that is not known */
void replay_wait_spent(struct task *t);  /* nothing is left of that */
bool replay_waits_for_end(struct task *t, const struct event *next);

/* poll_index.c */
/* What the logged waits reported, see replay/wait/poll_index.c. */
void poll_index_note(const struct event *e);
bool reported_by_edges(const struct record *r);
bool reported_internal(uint32_t task, uint32_t from, uint32_t until);
bool reported_with_others(const struct event *connect, uint32_t until);

/* poll_threads.c */
bool replay_finds_nothing(struct task *t, uint64_t key);
bool replay_wait_freely(struct task *t, struct event *e);
void replay_came_for(struct task *t, struct event *e);
bool replay_may_cut_short(struct task *t);
void replay_force_external(struct task *t, struct event *e);    /* though it may not have come, its wait ends with that */
void replay_cut_wait_short(struct task *t, struct event *e), replay_interrupt_wait(struct task *t);
void replay_poll_settle(struct task *t);

/* timed_futex.c */
bool replay_sleep_is_over(struct task *t);  /* for far longer than it wanted it has waited in a call that sleeps */
bool replay_sleep_until(struct task *t);  /* a sleep until a point in time begins */
void replay_until(struct task *t);  /* a futex wait until a point in time begins */
void replay_until_exit(struct task *t, int64_t result);
bool replay_sleeps_longer(struct task *t, int64_t result);  /* a sleep is over, but not for those that are slower: it is made again */
void replay_timed_futex(struct task *t);
bool replay_waits_by_wall(const struct task *t);

/* timerfd.c */
void replay_timerfd_plain(struct task *t);   /* at the entry of timerfd_create */
bool replay_ticks(struct task *t);  /* a thread reads a timer once more than recorded */

#endif

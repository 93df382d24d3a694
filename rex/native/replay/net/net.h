/* replay/net: sockets.
 * Internal connections are made for real, external servers are emulated by matching requests and replies: see replay/peers. */
#ifndef REX_REPLAY_NET_NET_H
#define REX_REPLAY_NET_NET_H

#include "base/base.h"

struct address;
struct event;
struct field;
struct record;
struct task_log;
struct task;

/* conversations.c */
void replay_talks_start(void);
bool peers_decide_late(const struct task_log *s);  /* what a socket is shows as it is connected or bound */

/* credentials.c */
void replay_identities(struct task *t);  /* at an entry-stop, of a call that is not external */
void replay_identities_exit(struct task *t, int64_t result);

/* emulated_conn.c */
void replay_lines_awaited(struct task *t);  /* a wait for readiness begins */
void replay_lines_waited(struct task *t);  /* it is over */
ull replay_lines_left(void);  /* until the next answer whose time is yet to come, ns; 0: there is none */
void replay_lines_settle(void);

/* internal.c */
/* Calls on such sockets. */
bool replay_inside_socket(struct task *t);
bool replay_inside_call(struct task *t);  /* true: it has been seen to */
bool replay_inside_exit(struct task *t, int64_t result);

/* passed_descriptors.c */
void replay_rights_start(void);
void replay_rights_sent(struct task *t, const struct event *e);
bool replay_rights_received(struct task *t, struct event *e);
void replay_rights_taken(struct task *t, const struct event *e);

#endif

/* replay/peers: what the log says of its sockets.
 * classify.c decides over the whole log which are connected inside the experiment, and which to servers that are
 * emulated; poll_index.c has what the logged waits reported. */
#ifndef REX_REPLAY_PEERS_PEERS_H
#define REX_REPLAY_PEERS_PEERS_H

#include "base/base.h"

struct address;
struct event;
struct field;
struct record;
struct task;
struct task_log;

/* What the log has of a stream. */
struct socket {
    struct event *bind, *connect, *listen;
    uint32_t listener, first;            /* of one let in: by whom; the task that made it */
    uint64_t kind;                       /* family and type */
    bool is_stream, is_inside, is_datagrams;
    bool is_spoken_on;                   /* of datagrams: it was of use */
    bool is_hidden, is_looked_at;        /* its requests cannot be compared; a reader has polled it and found nothing */
    uint32_t speaker;                    /* 1 + the task that did; MANY */
    uint32_t user, last;                 /* 1 + the one task that did anything with it; MANY; the last event of these */
    bool is_looped;                      /* one loop has both ends: see is_of_loop */
    bool is_outside;                     /* of one that listens: somebody else called */
    bool is_tried;                       /* its user does not wait until it is ready */
    bool is_played;                      /* of a threaded process, to a server outside: see replay/net/conversations.c */
    bool is_odd;                         /* used by several processes, or with descriptors, or data that are not in the log */
    bool is_used;                        /* in the replay: its bind, or connect, has happened */
};

/* classify.c */
void peers_start(void);
void peers_put_aside(void);  /* what passes over such sockets comes about by itself */
bool peers_inside(uint32_t stream);  /* the socket is made again */
bool peers_played(uint32_t stream);  /* it is one to an external server, which is emulated: see replay/net/internal.h */
bool peers_looped(uint32_t stream);  /* one loop has both its ends */
bool peers_datagrams(uint32_t stream);  /* it is one of datagrams */
const struct field *peers_place(const struct record *r);  /* where a call connects, or says that its datagram goes */
bool peers_share(const struct task_log *s);  /* a process with threads at some time */
struct socket *socket_numbered(uint32_t i);  /* of the log, from 1 on; NULL: there are no more */
struct address socket_bound_at(const struct socket *s), socket_remote_of(const struct socket *s);
bool peers_make_datagrams(const struct task *t);  /* sockets as its call makes are emulated, and of datagrams */
bool peers_listen_at(const struct address *to);  /* sockets inside listen there, at some time */
bool peers_any_inside(void);
bool peers_call_inside(const struct task_log *s);    /* a process without threads, which calls such */
bool peers_says(long nr);                            /* a call that sends */
bool peers_numbered(const struct address *to);       /* datagrams to there begin with a number that is drawn */

/* poll_index.c */
void poll_index_note(const struct event *e);
bool reported_by_edges(const struct record *r);
bool reported_internal(uint32_t task, uint32_t from, uint32_t until);
bool reported_with_others(const struct event *connect, uint32_t until);

#endif

/* replay/net: what its files share with each other only. */
#ifndef REX_REPLAY_NET_INTERNAL_H
#define REX_REPLAY_NET_INTERNAL_H

#include "base/base.h"
#include "log/log.h"
#include "replay/index/index.h"
#include "tracee/task.h"

struct address;
struct bytes;
struct event;
struct record;
struct sockaddr_un;
struct stat;
struct talk;
struct task;

/* What this room keeps of a task. */
struct net_state {
    uint64_t credentials;                /* where they are in the message that it sends, 0 = none */
};

static inline struct net_state *net_state(const struct task *t)
{
    return module_state(t, NET_STATE, sizeof(struct net_state));
}

/* One read of an answer. */
struct reply {
    struct event *event;
    const unsigned char *data;
    size_t n;                        /* 0: the connection ends */
    uint32_t after;                  /* number of what was before, 0 = nothing */
    struct event *fruitless;         /* the last wait of its reader that had run out before it came, NULL: none */
};

/* A request and its answers: what was written on a connection until something was read, and all that was read before
 * the next was written.  The first of a connection has no request if the server sends first. */
struct exchange {
    struct talk *talk;
    struct bytes question;
    struct event **ask;              /* by which it was requested */
    struct bytes numbers;            /* of the question's datagrams: see replay/net/datagrams.c */
    size_t ask_count, first, count;  /* which of the talk's answers are its */
    uint64_t hash;
    bool is_taken;
};

/* The present caller, and its requests on its connection. */
struct caller { struct talk *talk; struct exchange **had; size_t had_count; };

/* Whose event it is: its process. */
static inline uint32_t tgid_of(const struct event *e)
{
    return task_log_of(e->record->task)->tgid;
}

/* Of a connection of datagrams, their numbers: of requests, of answers when recorded, and now.  See replay/net/datagrams.c. */
struct datagrams { bool on, numbered; struct bytes asked, were, are; };

/* socket_lookup.c */
struct event *peers_bind(struct task *t, const struct address *to);  /* the log's, for this; NULL: none is left */
struct event *peers_connect(struct task *t, const struct address *to);  /* one that came about if there is one */
/* A bind, connect or listen (of what is not bound: NULL) that is not inside, of a stream, or of datagrams. */
const struct event *peers_outside(struct task *t, const struct address *to, bool is_datagrams);
unsigned peers_new_port(void);

/* conversations.c */
bool talks_known(uint32_t tgid);  /* a process that has any */
struct talk *talk_next(struct task *t, const struct address *to, bool is_datagrams);  /* the log's next connection to there; NULL: it has none */
int talk_error(const struct talk *talk);  /* that it came to, 0 if it came about */
bool talk_fails_later(const struct talk *talk);  /* not as it is requested */
bool talk_never_came(const struct talk *talk);  /* neither of these */
bool talk_own_address(const struct talk *talk, struct address *a);  /* as a getsockname was answered */
unsigned talk_own_port(const struct talk *talk);
struct event *talk_option(const struct task *t, const struct talk *talk);  /* what a getsockopt like this was answered; NULL: nothing */
struct exchange *talk_exchange(const struct caller *c, const struct bytes *asked, bool waits);  /* NULL: not known yet */
bool talk_may_go_on(const struct caller *c, const struct bytes *asked);
void talk_take(struct caller *c, struct exchange *x);
void talk_said(const struct caller *c, const struct bytes *asked);
void talk_left(struct caller *c);  /* the connection is closed */
struct exchange *talk_greeting(const struct caller *c);
const struct reply *exchange_reply(const struct exchange *x, size_t i);

/* datagrams.c */
void datagram_add(struct bytes *to, const void *data, size_t n, struct bytes *numbers);
void datagrams_found(struct datagrams *d, const struct bytes *were);
const unsigned char *datagram_now(const struct datagrams *d, const struct reply *reply);
void datagrams_free(struct datagrams *d);
int64_t talk_gather(struct task *t, struct bytes *asked, struct datagrams *d);  /* what a call says; its result */
int datagrams_end(int fd, const struct address *to);
bool datagrams_over(int fd);

/* emulated_conn.c */
bool replay_line_connect(struct task *t, int fd, const struct address *to);  /* true: it has been seen to */
bool replay_line_call(struct task *t);  /* likewise, of a socket that is such a connection */
void replay_line_new(const struct stat *st);  /* a socket is made */
void replay_line_returned(struct task *t);
const struct talk *replay_line_talk(struct task *t);  /* the conversation on its socket; NULL: none */

/* fake_listener.c */
int door_at(const struct address *to, struct sockaddr_un *u, socklen_t *n);  /* where our ends come from, for servers at that address */
void door_bind_own(int fd, const struct address *to, const struct talk *talk);  /* the address of the program's end */
void door_shut(int fd);  /* the program's end */

/* internal_names.c */
socklen_t inside_name(struct sockaddr_un *u, const struct address *a);  /* the kernel's, for this */
socklen_t inside_new_name(struct sockaddr_un *u, const struct address *a);  /* one that nothing has */
socklen_t inside_kernel_name(struct sockaddr_un *u, size_t number);
struct address *inside_meant_by(const struct sockaddr_un *u, socklen_t n);  /* what the kernel calls so; NULL: none of these */
size_t inside_bind(const struct address *a);  /* its number: a socket is bound there */
bool inside_listener(const struct address *to, size_t *number);  /* something is bound where this leads; its number */
bool inside_datagrams(int fd);
void inside_set_family(int fd, int family);
int inside_family(int fd);
bool inside_end(int fd, bool own, struct address *a);  /* an end's address as the program knows it; nothing bound: zeros */
bool inside_exact_end(int fd, bool own, struct address *a);  /* both ends are at the address that was called, also where any would do */

/* options.c */
bool replay_sets_option(struct task *t, int fd);  /* see replay/net/options.c; fd is ours */
void replay_option_set(struct task *t, int fd, int64_t result);
bool replay_get_option(struct task *t, int fd, int family);
void replay_options_forget(ino_t inode);

/* reply_order.c */
void talk_note(struct event *e);  /* of the log: a request or an answer; see replay/net/reply_order.c */
bool talk_is_next(const struct reply *reply);  /* all is sent that the process had before it */
void talk_give_up(const struct reply *reply);

#endif

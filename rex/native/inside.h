/* Replay: connections between threaded processes of the experiment are made again, see replay_inside.c. */
#ifndef REX_INSIDE_H
#define REX_INSIDE_H

#include <sys/socket.h>

struct address { struct sockaddr_storage a; socklen_t n; };      /* as the program knows it */

bool files_inside(const struct files *f, int fd);     /* a socket that is made again */
void record_greeting(struct task *t, struct bytes *b);
bool begins_hidden(const struct record *r);           /* a connection by TLS */
void record_ends(struct task *t, struct record *r, uint32_t listener);

/* The log: who is connected to whom. */
void replay_peers_start(void);
bool peers_inside(uint32_t stream);                   /* the socket is made again */
bool peers_played(uint32_t stream);                   /* it is one to a server outside, whose part is played: see talks.h */
bool peers_looped(uint32_t stream);                   /* one loop has both its ends */
bool peers_datagrams(uint32_t stream);                /* it is one of datagrams */
const struct field *peers_place(const struct record *r);   /* where a call connects, or says that its datagram goes */
bool peers_make_datagrams(const struct task *t);      /* sockets as its call makes are played, and of datagrams */
bool peers_decide_late(const struct script *s);      /* what a socket is shows as it is connected or bound */
bool peers_listen_at(const struct address *to);       /* sockets inside listen there, at some time */
struct sockaddr_un;
socklen_t inside_name(struct sockaddr_un *u, const struct address *a);   /* the kernel's, for this */
socklen_t inside_new_name(struct sockaddr_un *u, const struct address *a);   /* one that nothing has */
bool inside_datagrams(int fd);
bool address_same(const struct address *bound, const struct address *to);   /* what is bound so is reached so */
struct address address_of(const struct field *f);    /* of the log; NULL: none, of no bytes */
void address_trim(struct address *a);                 /* of a path, what comes after it */
bool address_is_any(const struct address *a);
void address_copy_number(struct address *to, const struct address *from);     /* of the host, not the port */
bool address_equals(const struct address *a, const struct address *b);    /* byte by byte */
unsigned address_port(const struct address *a);
void address_set_port(struct address *a, unsigned port);
struct event *peers_bind(struct task *t, const struct address *to);      /* the log's, for this; NULL: none is left */
struct event *peers_connect(struct task *t, const struct address *to);   /* one that came about if there is one */
/* A bind, connect or listen (of what is not bound: NULL) that is not inside, of a stream, or of datagrams. */
const struct event *peers_outside(struct task *t, const struct address *to, bool is_datagrams);
unsigned peers_new_port(void);
bool peers_share(const struct script *s);             /* a process with threads at some time */
bool replay_is_sole(const struct script *own);        /* the other threads of its process only wait, see replay_sole.c */

/* What the log's waits told of, see replay_told.c. */
void told_note(const struct event *e);
bool told_by_edges(const struct record *r);
bool told_of_inside(uint32_t task, uint32_t from, uint32_t until);
bool told_beside(const struct event *connect, uint32_t until);

/* Calls on such sockets. */
bool replay_inside_socket(struct task *t);
bool replay_inside_call(struct task *t);              /* true: it has been seen to */
bool replay_inside_exit(struct task *t, int64_t result);
int64_t replay_inside_broken(struct task *t);           /* who is spoken to has gone */

bool replay_sets_option(struct task *t, int fd);      /* see replay_options.c; fd is ours */
void replay_option_set(struct task *t, int fd, int64_t result);
bool replay_tells_option(struct task *t, int fd, int family);
void replay_options_forget(ino_t inode);

/* Signals between such processes: see replay_inside_signals.c. */
void replay_inside_signals_start(void);
bool replay_inside_kill(struct task *t);              /* true: it runs */
bool replay_inside_signal(struct task *t, siginfo_t *info);

#endif

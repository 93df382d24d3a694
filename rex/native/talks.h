/* Replay: what threads asked servers outside, and what these answered. */
#ifndef REX_TALKS_H
#define REX_TALKS_H

/* A question and its answers: what was written on a connection until something was read, and all that was read before
 * the next was written.  The first of a connection has no question where the server speaks first. */
struct part {
    struct event *event;
    const unsigned char *data;
    size_t n;                        /* 0: the connection ends */
    uint32_t after;                  /* number of what was before, 0 = nothing */
    struct event *in_vain;           /* the last wait of its reader that had run out before it came, NULL: none */
};
struct exchange {
    struct talk *talk;
    struct bytes question;
    struct event **ask;              /* by which it was asked */
    struct bytes numbers;            /* of the question's datagrams: see replay_datagrams.c */
    size_t ask_count, first, count;  /* which of the talk's answers are its */
    uint64_t hash;
    bool is_taken;
};
struct talk;

/* Who asks now, and what it has asked on its connection. */
struct caller { struct talk *talk; struct exchange **had; size_t had_count; };

/* Whose event it is: its process. */
static inline uint32_t tgid_of(const struct event *e)
{
    return script_of(e->record->task)->tgid;
}

void replay_talks_start(void);
bool talks_known(uint32_t tgid);                     /* a process that has any */
struct talk *talk_next(struct task *t, const struct address *to, bool is_datagrams);    /* the log's next connection to there; NULL: it has none */
int talk_error(const struct talk *talk);             /* that it came to, 0 if it came about */
bool talk_fails_later(const struct talk *talk);      /* not as it is asked for */
bool talk_never_came(const struct talk *talk);       /* neither of these */
bool talk_own_address(const struct talk *talk, struct address *a);      /* as a getsockname was answered */
unsigned talk_own_port(const struct talk *talk);
const struct record *talk_option(const struct task *t);      /* what a getsockopt like this was answered */
struct exchange *talk_exchange(const struct caller *c, const struct bytes *asked, bool waits);   /* NULL: not known yet */
void talk_take(struct caller *c, struct exchange *x);
void talk_said(const struct caller *c, const struct bytes *asked);
void talk_left(struct caller *c);                    /* the connection is closed */
struct exchange *talk_greeting(const struct caller *c);
void talk_note(struct event *e);                     /* of the log: something is asked, or answered; see replay_said.c */
bool talk_is_next(const struct part *part);          /* all is said that the process had before it */
void talk_waive(const struct part *part);
bool talk_says(long nr);
const struct part *exchange_part(const struct exchange *x, size_t i);

/* Of a connection of datagrams, their numbers: of what is asked, of what was found when recorded, and now.  See replay_datagrams.c. */
struct datagrams { bool on, numbered; struct bytes asked, were, are; };
bool datagrams_numbered(const struct address *to);
void datagram_add(struct bytes *to, const void *data, size_t n, struct bytes *numbers);
void datagrams_found(struct datagrams *d, const struct bytes *were);
const unsigned char *datagram_now(const struct datagrams *d, const struct part *part);
void datagrams_free(struct datagrams *d);
int64_t talk_gather(struct task *t, struct bytes *asked, struct datagrams *d);    /* what a call says; its result */
int datagrams_end(int fd, const struct address *to);
bool datagrams_over(int fd);
bool datagram_goes_to(struct task *t, struct address *to);

int door_at(const struct address *to, struct sockaddr_un *u, socklen_t *n);    /* where our ends come from, for servers at that address */
void door_bind_own(int fd, const struct address *to, const struct talk *talk);    /* the address of the program's end */

bool replay_line_connect(struct task *t, int fd, const struct address *to);    /* true: it has been seen to */
bool replay_line_call(struct task *t);               /* likewise, of a socket that is such a connection */
void replay_line_new(const struct stat *st);         /* a socket is made */
void replay_line_returned(struct task *t);
void replay_lines_awaited(struct task *t);           /* a wait for readiness begins */
void replay_lines_waited(struct task *t);            /* it is over */
ull replay_lines_left(void);                         /* until the next answer whose time is yet to come, ns; 0: there is none */
void replay_lines_settle(void);

#endif

/* Replay of tasks that share work, so that the log's order among them need not be kept: threads of a process
 * (mates), and processes that share memory (kin): see replay_kin.c and replay_outside.c. */
#ifndef REX_MATES_H
#define REX_MATES_H

bool replay_on_connection(uint32_t stream);            /* a socket, but one that the kernel answers */
bool replay_has_asked(struct task *t, uint32_t stream, const struct event *e);
bool replay_finds_nothing(struct task *t, uint64_t key);
bool replay_epoll_ctl(struct task *t);
bool replay_epoll_stream(const struct task *t, const struct event *e, uint64_t data, uint32_t *stream);   /* what the log's data stood for, see replay_epoll.c */
bool replay_makes_epoll(long nr);
void replay_epoll_made(struct task *t, int64_t number);
void replay_wait_for_signal(struct task *t, const struct event *e);
bool replay_wait_freely(struct task *t, struct event *e);
void replay_came_for(struct task *t, struct event *e);
bool replay_may_hasten(struct task *t);
void replay_hasten(struct task *t, struct event *e), replay_interrupt_wait(struct task *t);
void replay_poll_settle(struct task *t);
bool is_readiness_wait(const struct rex_call *c);      /* poll, select, epoll_wait and others of that kind */
bool is_over_by_time(const struct rex_call *c, int64_t result);
bool is_kin(const struct task *t);
void replay_kin_files_start(void);
void replay_kin_opened(struct task *t, const struct record *r);      /* see replay_kin_files.c */
void replay_kin_named(struct script *s);
void replay_kin_born(struct task *parent, struct task *t, uint64_t flags);
bool replay_kin_kill(struct task *t);
bool replay_kin_ends_first(const struct task *t, const struct event *e);
bool replay_kin_pauses(struct task *t, struct event *e);    /* true: it runs */
bool replay_kin_says(struct task *t);                 /* true: it has been answered */
bool replay_kin_signal(struct task *t, siginfo_t *info);
int64_t replay_waited(const struct record *r);           /* see replay_children.c */
bool replay_child_looks(const struct task *t);            /* a wait for a child that ends at once */
void replay_child_wait(struct task *t, struct event *e), replay_child_wait_freely(struct task *t), replay_child_told(struct task *t, int64_t result);
void replay_child_ended(struct task *t, const struct record *r);    /* its outputs */
bool replay_kin_is_past(struct task *t, const struct event *e);
bool replay_kin_waits(struct task *t, const struct event *e, int64_t logged);
bool replay_changes_alone(const struct task *t, const char *path);    /* its process, or kin */
bool replay_own_file(struct task *t);                 /* true: made, changed or found, though not in the log: see replay_own.c */
bool replay_is_of_changed(struct task *t, struct event *e);
bool replay_is_of_mates(const struct task *t);
bool replay_is_own_file(struct task *t), replay_is_of_own(struct task *t);
bool replay_is_as_now(struct task *t, const struct event *e);
bool replay_asks_of_mate(struct task *t, const struct rex_call *c);
char *replay_own_name(struct task *t);
bool replay_makes_directory(long nr);
char *replay_full_name(struct task *t, const uint64_t *args, int dirfd_arg, const char *path);
char *replay_opened_name(struct task *t);             /* the same without links */
void replay_note_opens(struct task *t);
struct opened *replay_opened(struct task *t, int fd);
void replay_note_made(struct task *t, int fd);               /* an open made this descriptor, and perhaps its file */
bool replay_is_own(struct task *t);
void replay_own_opened(struct task *t, int fd);
bool replay_renames_otherwise(struct task *t, const struct event *e);
bool lists_directory(long nr);                             /* of a directory, which has an end */
bool replay_is_mate(const struct task *t, const struct script *s);   /* may take its answers */
bool replay_is_shareable(long nr);                 /* by another thread of its process */
struct event *replay_queue(const struct script *s, long nr, uint64_t key);    /* the first left; others follow by next[0] */
void replay_requeue(const struct script *s, const struct event *e);          /* it may be left once more */
bool replay_is_awaited(struct task *t, int fd);       /* an inner descriptor that must be ready before its process goes on */
bool replay_is_watched(struct task *t, uint64_t data, bool inner);    /* registered with epoll, as external */
void replay_wait_inside(struct task *t);
void replay_tell_outside(struct task *t, struct event *e);
bool is_single(struct task *t);
bool has_shared_work(const struct task *t);
void replay_peer(struct task *t, struct event *e);                    /* see replay_peer.c */
bool replay_peer_freely(struct task *t);
bool replay_is_alone(struct task *t, const struct event *e);         /* see replay_alone.c */
bool replay_alone_waits(struct task *t, const struct event *e);
bool replay_alone_awaits(struct task *t, const struct event *signal);
const struct event *replay_alone_deed(struct task *t);      /* what it does next; NULL: it does not go alone */
struct event *replay_alone_next(struct task *t);
bool replay_alone_is_later(const struct task *t, const struct event *e);
bool replay_alone_cut_off(struct task *t);
uint32_t replay_alone_until(const struct task *t);
bool replay_alone_precedes(struct task *t, const struct event *e);
void replay_alone_handles(struct task *t, const struct event *e);
bool replay_alone_listens(void);
void replay_poll(struct task *t, struct event *e);
void replay_poll_exit(struct task *t, struct event *e, int64_t result);
bool replay_has_arrived(struct task *t, const struct event *e);
void replay_waive(struct task *t, const struct event *e);
bool replay_is_deleted(const char *resolved);
char *replay_nameless(struct task *t, const char *resolved);          /* what stands in for what it opens; NULL: that has a name */
char *replay_directory(const struct task *t);          /* what stands in for one that it opens */
void replay_note_directory(struct task *t, int fd);    /* which is open now */
struct opened *replay_directory_open(struct task *t, int fd);   /* NULL: not known to be one */
struct event *replay_listing(struct task *t);          /* NULL: it is matched as others are */
bool replay_was_cut_off(struct task *t);              /* it had not come as far when its process ended */
bool replay_ticks(struct task *t);                    /* a thread reads a timer once more than recorded */
bool replay_prods(struct task *t);                    /* a signal from thread to thread, once more than recorded */
bool replay_was_prodded(struct task *t, int sig);
struct task *replay_mate_named(const struct task *t, uint32_t tid);  /* NULL: it has ended by now, or not begun */
bool replay_sigwait_is_early(const struct task *t, const struct event *e);     /* see replay_sigwait.c */
bool replay_sigwait_takes(struct task *t, const struct event *e);
void replay_suspend_start(void);                      /* see replay_suspend.c */
bool replay_suspends(struct task *t);
bool replay_suspend_signal(struct task *t, siginfo_t *info);
bool replay_send_left(void);
bool replay_ends_later(struct task *t, const struct event *e);
struct event *replay_ender(struct task *t, const struct event *e);
bool replay_ends_by_signal(struct task *t);
bool replay_is_killed_later(struct task *t, const struct event *e);
bool replay_ends_too_early(const struct task *t, const struct event *e);
void replay_stuck_start(void);
void replay_end_if_stuck(ull last);                   /* last: when anything moved */
bool replay_time_comes(const struct event *e);
void replay_end_if_still(void);                       /* though something moves, over and over */
struct event *replay_again(struct task *t, struct event *opened);

#endif

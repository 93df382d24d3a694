/* Replay: what its parts know of each other. */
#ifndef REX_REPLAY_H
#define REX_REPLAY_H

void replay_start(void);
void replay_become(void);                            /* in the tracee, before its first exec */
void replay_finish(int status);
struct event *replay_next(struct task *t);            /* the first event of the task that is left */
size_t replay_place(struct task *t);                  /* where it is in its script: no earlier than that */
const struct event *replay_ahead_of(struct task *t);  /* the first that is left from there on */
void replay_match_start(void);
struct event *replay_match(struct task *t, long nr, uint64_t key);
struct event *replay_drawn(struct task *t, uint64_t key);
bool replay_is_drawn_by_first(const struct task *t, const struct script *first, long nr, uint64_t key);
bool replay_is_taken(const struct task *t, const struct event *e), replay_is_same_program(struct script *s, const struct event *e);
bool is_nameless_stat(const struct task *t);          /* of a descriptor, as fstat */
bool replay_is_pipe_stat(const struct event *e);
struct event *replay_nameless_stat(struct task *t, struct event *e);
struct event *replay_last_answer(struct task *t, long nr, uint64_t key);
typedef bool event_fits(const struct event *e, const void *what);
const struct event *replay_find(struct task *t, long nr, uint64_t key, event_fits *fits, const void *what);
void replay_did(struct task *t, uint64_t key);
uint64_t clock_of(const struct record *r);            /* ns that a clock answered */
bool replay_clock_is_anyones(const struct record *r);    /* whichever thread asks there is given it */
void replay_clock_passed(struct task *t, uint64_t until);
void replay_clock_reached(struct task *t, uint64_t time);    /* by a thread that goes alone */
bool replay_clock_limits(const struct task *t);
ull replay_runtime_left(const struct task *t, const struct event *e);    /* until what came from outside comes, ns; see replay_runtime.c */
ull replay_runtime_left_by(const struct task *t, const struct event *e, uint64_t less);    /* where it comes after another event */
uint64_t replay_runtime_less(const struct task *t, const struct event *e);    /* of what happens now: how much earlier it is than when recorded */
void replay_runtime_reached(struct task *t, const struct event *e);
void replay_wait_longer(struct task *t, const struct event *e);
uint64_t replay_wait_limit(struct task *t, uint64_t passed);   /* how long a wait for readiness may last, ns; as it is where that is not known */
void replay_wait_spent(struct task *t);              /* nothing is left of that */
bool replay_any_sooner(void);                         /* see replay_sooner.c */
void replay_sooner_wait(struct task *t, const struct event *e), replay_sooner_settle(void);
int64_t replay_sooner_result(struct task *t, int64_t result);
void replay_force(struct task *t);                    /* goes on, though held */
void replay_runtime_waits(struct task *t, ull limit), replay_runtime_waited(struct task *t);
bool replay_runtime_goes(const struct task *t), replay_runtime_skip(void), replay_runtime_is_awaited(void);
bool replay_nap_is_over(struct task *t);              /* for far longer than it wanted it has waited in a call that sleeps */
bool replay_nap_until(struct task *t);                /* a sleep until a point in time begins */
void replay_until(struct task *t);                    /* a futex wait until a point in time begins */
void replay_until_exit(struct task *t, int64_t result);
bool replay_naps_longer(struct task *t, int64_t result); /* a sleep is over, but not for those that are slower: it is made again */
void replay_timed_futex(struct task *t);
bool replay_waits_by_wall(const struct task *t);
bool replay_lends(const struct task *t);              /* a lock that lends priority: see replay_priority.c */
bool replay_lend_begins(struct task *t), replay_lend_exit(struct task *t, int64_t *result);
void replay_lend(struct task *t);
void replay_order_start(void);
void replay_unseen_start(struct event **ordered, size_t count);
bool replay_are_seen(const struct event *one, const struct event *other);    /* each by the other's process */
void replay_written_start(void);
bool replay_is_written(const struct event *e);        /* an opening: what others write there by then */
void replay_steps_start(void);
bool replay_is_step(const struct script *s);
bool replay_step_skipped(struct task *t);             /* asks whether the step that t begins is to run */
void replay_step_ended(struct task *t);
void replay_stop(int status) __attribute__((noreturn));   /* all that was wanted has happened, or can */
bool replay_is_turn(struct task *t, const struct event *e);
uint32_t replay_others_next(const struct task *t);
void replay_order_instead(struct task *t);
bool replay_is_answerable(struct task *t, const struct event *e);
void replay_output_start(void);
void replay_output(struct task *t, struct event *e);
struct event *replay_output_of(struct task *t, struct event *own, uint64_t key);
void replay_output_exit(struct task *t, struct event *e, int64_t result);
void replay_arrived(struct task *t, int sig);
siginfo_t replay_siginfo(const struct record *r);     /* of a signal: the log was checked as it was loaded */
bool replay_is_signal(const struct event *e);         /* one that nothing in the task itself causes */
struct script *replay_sender(const siginfo_t *info);
bool replay_is_doomed(struct task *t);                /* see replay_killed.c */
bool replay_was_killed(const struct task *t);
bool replay_kill_due(struct task *t);                 /* then it was */
void replay_send_now(struct task *t, struct event *e);
bool replay_is_signal_later(struct task *t, struct event *next);     /* the task goes no further before */
void replay_send_to_blocked(struct task *t);
void replay_send_with(struct task *t, struct event *e);
bool replay_signal(struct task *t, int sig);
bool replay_is_sent(struct task *t, const struct event *e);
struct script *replay_sender_of(const struct event *e);      /* of a signal; NULL: from outside */
void replay_interrupts(struct task *t);
bool replay_comes_by_itself(const struct event *e);
bool replay_sleeps_there(struct task *t, const struct event *e);
bool replay_is_too_early(struct task *t, const struct event *e);
bool replay_passed_place(struct task *t, struct event *e);           /* where that signal came: whether to wait for it */
bool replay_sleeps_over(struct task *t, const struct event *e);
bool replay_is_rest(const struct event *e), replay_rests(struct task *t, const struct event *e);   /* see replay_sleeps.c */
bool replay_naps_on(struct task *t, const struct event *e);
bool replay_awaits_call(struct task *t);
void replay_block(struct task *t);
bool replay_finds_place(struct task *t), replay_waits_past_place(struct task *t, struct event *e);
void replay_idle(void);
bool replay_computes_until(struct task *t, const struct event *e);   /* it is in the midst of computation, where a signal is to come */
bool replay_any_naps(void), replay_any_rests(void), replay_any_computes(void);
char replay_state(struct task *t);
enum mover { NOBODY, TIME, READER, ITSELF };          /* what can make a task go on though no other does */
bool replay_waits_for_mates(struct task *t);           /* only they can end its wait */
enum mover replay_mover(struct task *t, ull *limit);  /* limit: where it is time, how long that may take; NULL: that is not asked */
ull replay_time_before(const struct script *s, size_t at);   /* of the event before that place, or its birth */
void replay_note_sleep(bool all_sleep);
const struct event *replay_next_move(struct task *t);     /* what it has left to do first that is not idle, or its end; NULL: the log does not tell */
ull replay_still_for(void);                            /* no event has happened that is not idle, ns, since it was asked first */
bool replay_waits_for_end(struct task *t, const struct event *next);
extern ull replay_forced;
void replay_done(struct event *e);
void replay_put_aside(struct event *e);               /* nobody asks for it */
extern uint64_t replay_progress;                      /* how many events have happened that are not idle */
void replay_emulate(struct task *t, struct event *e);
void replay_answered(struct task *t, struct event *e);   /* what later calls reckon with */
void replay_diverged(struct task *t, const struct event *e, const char *why);
bool replay_is_pace(long nr);                         /* how often such calls are made need not be as in the log */
struct event *replay_paced(struct task *t, struct event *e, uint64_t key);
void replay_sent(struct task *t);                    /* a call of the kill family was answered */
struct event *replay_next_signal(struct task *t, bool nothing_moves);
bool replay_send_overdue(const struct task *earliest);    /* NULL: nobody is held */
bool replay_send(struct task *t, struct event *e);   /* the signal that the log has next after e */
void replay_call(struct task *t, const struct rex_call *c, struct event *e);
void replay_call_exit(struct task *t, const struct rex_call *c, struct event *e, int64_t result);
void replay_unmatched(struct task *t, const struct rex_call *c);
bool replay_scratch(struct task *t);                 /* false: it is being made, the call comes again */
uint64_t replay_block_at(struct task *t, const void *data, size_t n);
struct task *replay_task_of(pid_t real);             /* living or not; NULL = unknown */
bool replay_comes_next(const struct task *t, const struct event *e, uint32_t run);
uint32_t replay_recorded(pid_t real);                /* the number that it had; 0 = unknown */
pid_t replay_dead(uint32_t recorded_tid);            /* real number of a child that has ended, 0 = unknown */
void replay_open(struct task *t, struct event *e);
void replay_inherited_start(void), replay_inherit(void), replay_inherited(struct task *t);
void replay_file_opened(struct task *t, struct event *e, int fd);
bool replay_executes(const struct record *r);         /* another program, with success */
bool replay_is_random_device(const struct files *f, int fd);
mode_t replay_kind_of(const struct record *opened);   /* S_IFREG or another, 0 if the log does not say */
void replay_exec(struct task *t, struct event *e);
void replay_execed(struct task *t);
void stack_adopt(struct task *t, const unsigned char *image, size_t n);    /* of the log, for what has other arguments */
bool replay_own_stat(struct task *t);                 /* fstat answered by the open of that very file */
void replay_own_stat_exit(struct task *t);
void give_result(struct task *t, int64_t result);    /* at an exit-stop; arguments as they were */
struct task *task_named(uint32_t recorded_tid);
void replay_leaves_locks(struct task *t);
void replay_born(struct task *parent, struct task *t, uint64_t flags);
void replay_take_number(struct task *t);
void replay_began(struct task *t);
void replay_ended(struct task *t, int status);
bool replay_is_changed(const char *path), replay_is_divided(const char *path), replay_divides(void);   /* see replay_sizes.c */
void replay_size_now(struct task *t);
void replay_read_names(struct task *t), replay_arguments_then(struct bytes *arguments);     /* see replay_renamed.c */
bool replay_is_made(const char *dir), replay_is_within_made(const char *path);   /* by the experiment; see replay_named.c */
void replay_names_now(struct task *t, const struct event *e);
void replay_mismatch(const struct event *e);
void replay_unwritten(const struct event *e);
bool replay_is_output(uint32_t stream, long nr);
void replay_tsc(struct task *t, bool with_aux, uint64_t *value, uint32_t *aux);
uint64_t replay_random(struct task *t);
int replay_number_now(struct task *t, const struct event *e, int fd);    /* which what had it at the event has */
bool replay_takes_number(struct task *t, const struct rex_call *c);   /* of a descriptor: see replay_numbers.c */
void replay_leaves_number(struct task *t);
bool replay_drops_copy(struct task *t);
bool replay_draws_more(struct task *t);                /* random bytes, by a thread that draws more often than when recorded */

bool replay_is_of_jobs(long nr), replay_waits_for_job(struct task *t, long nr);   /* makes a process, or waits; for this one, by its number */
struct event *replay_job_event(struct task *t, long nr);   /* a call that makes a process, or waits for one: see replay_jobs.c */
bool replay_job_is_later(struct task *t);
struct event *replay_job_prepares(struct task *t, long nr, uint64_t key);
struct task *replay_job_waited(struct task *t, uint32_t recorded);   /* living or not */
bool replay_is_job_left(struct task *t, const struct event *e);
struct script *replay_job_born(struct task *parent, struct task *t, uint64_t flags);
bool replay_job_executes(struct task *t);             /* true: the call comes again */
struct event *replay_job_made(struct task *t, struct event *e);

#endif

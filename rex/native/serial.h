/* One task at a time: see serial.c, serial_quiet.c, serial_spin.c and serial_replay.c. */
#ifndef REX_SERIAL_H
#define REX_SERIAL_H

/* Where the turn passed on: as a call returned, in one that blocked, with the task's end, or in mid-computation. */
enum passed { PASSED_AT_RETURN, PASSED_IN_CALL, PASSED_AT_END, PASSED_IN_RUN };

struct turn { struct task *task; uint32_t index; uint64_t calls, passed; ull since, resumed_at, look_at; };
extern struct turn turn;
extern bool serial_on;
void serial_start(void);
void serial_first(struct task *t);
bool serial_parks(struct task *t, int sig);          /* true: it is not to be resumed now */
void serial_returned(struct task *t, bool cut);
void serial_counted(struct task *t);
void serial_answered(struct task *t);                 /* what a fault asked for, instead of a call */
bool serial_interrupted(struct task *t);             /* true: it has gone on by itself */
void serial_ended(struct task *t);
void serial_settle(void);
void serial_idle(void);
long serial_beat_ns(void);
void serial_finish(void);
ull serial_quiet_ns(void);
bool is_asleep(struct task *t);
bool is_quiet_after(struct task *t);                  /* all that its call may have woken; NULL: all others */
struct task *serial_first_parked(void);
void serial_load(const struct record *r);
bool serial_holds(struct task *t);
bool serial_reaches(struct task *t, ull ran_ns);     /* replay: it is where it was interrupted when recorded */
unsigned spin_length(struct task *t, unsigned steps);
bool spin_reach(struct task *t, const struct user_regs_struct *goal, unsigned length);
bool serial_looks_for_place(void);
void serial_signal_due(struct task *t);
bool serial_is_cut(struct task *t);
bool serial_is_early(const struct task *t, const struct event *e);
bool serial_cut(void);
struct task *serial_follow(bool waited);
void serial_mutes(struct task *t), serial_unmutes(struct task *t);     /* as a call begins, and returns */
void serial_rouse(struct task *t, int sig);           /* it is sent a signal that it may be deaf to */
bool serial_is_timed_futex(const struct task *t);

#endif

/* turns: one task runs at a time (`record --serialize`).
 * Who has the turn (turns.c), whether all others are asleep (quiescence.c), loops that only spin (spin.c), and which
 * tasks are deaf to the end of a child (mute.c).  replay/follow_turns.c passes the turn as the log says. */
#ifndef REX_TURNS_TURNS_H
#define REX_TURNS_TURNS_H

#include "base/base.h"

struct observer;
struct task;
struct user_regs_struct;

/* Where the turn passed on: as a call returned, in one that blocked, with the task's end, or in mid-computation. */
enum passed { PASSED_AT_RETURN, PASSED_IN_CALL, PASSED_AT_END, PASSED_IN_RUN };
struct turn { struct task *task; uint32_t index; uint64_t calls, passed; ull since, resumed_at, look_at; };

/* In which order the turn passes.  Recording gives only the first member: the order is found as it goes, and logged. */
struct turn_order {
    void (*given)(struct task *t);                     /* it has the turn, and is about to go on */
    uint32_t (*index_of)(const struct task *t);        /* its number in the log */
    bool (*ends_by_signal)(const struct task *t);      /* the log's call was ended by a signal, and not made again */
    bool (*holds)(struct task *t);                     /* at an entry: it was interrupted before that when recorded */
    bool (*reaches)(struct task *t, ull computed_ns);  /* it is where it was interrupted when recorded */
    bool (*looks_for_place)(void);                     /* who has the turn is to be interrupted */
    bool (*cuts)(void);                                /* calls were cut short, as by signals when recorded */
    struct task *(*next)(bool waited);                 /* who goes on now; NULL: nobody before something happens */
    void (*idle)(ull last_report);                     /* no report for a beat */
};

/* Where a task is among the turns. */
struct turn_place {
    uint64_t calls;                      /* that it has made */
    bool cut;                            /* its last call was cut short, and will be made again */
    uint64_t cut_passed, cut_calls;      /* when that was: passings before, calls of who had the turn */
    bool at_entry;                       /* parked before the mode has seen the call */
    bool preempted;                      /* it was interrupted as it computed */
    bool stepped_out;                    /* a single step has led to another stop, already seen to */
};
struct turn_place *turns_place(const struct task *t);

/* spin.c */
bool spin_reach(struct task *t, const struct user_regs_struct *goal, unsigned length);

/* mute.c */
void turns_rouse(struct task *t, int sig);             /* it is sent a signal that it may be deaf to */

/* turns.c */
extern struct turn turn;
extern const struct observer turns_observer;
void turns_start(const struct turn_order *order);
void turns_finish(void);
void turns_count(struct task *t);                      /* it has made one more call */
ull turns_quiet_ns(void);                              /* since the last report */
struct task *turns_first_parked(void);                 /* who waits longest */

#endif

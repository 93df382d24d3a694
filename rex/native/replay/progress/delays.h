/* replay/progress: the points in time that a replay reckons with, all of them, in ns.
 *
 * Both units are measured (bench/wakeups.py): for how long a task that was woken waits for a processor.  Nothing that a replay
 * decides by them may depend on their exact values: a longer one makes replays slower, a shorter one lets more of them diverge on a
 * busy machine. */
#ifndef REX_REPLAY_PROGRESS_DELAYS_H
#define REX_REPLAY_PROGRESS_DELAYS_H

#define WOKEN_NS 1000000ULL              /* unit: longer than any wake-up where a processor is free (0.3 ms at most of 2000) */
#define BUSY_NS (60 * WOKEN_NS)          /* unit: as long as all but about 1 in 1000, beside twice as many tasks as processors */
#define SLOWER 4                         /* by so much a replay may be slower than its recording: stops, and processors that others use */

/* Between looks */
#define QUIET_NS (2 * WOKEN_NS)          /* of two looks so far apart the second shows what was on its way at the first */
#define SELDOM_NS (16 * QUIET_NS)        /* where looks find tasks that compute, which may do so for long: 1 look costs under 1/1000 */
#define SHARE_NS (5 * WOKEN_NS)          /* to see which part of the processors is ours: some slices of the scheduler (3 ms) */
#define STUCK_NS (500 * WOKEN_NS)        /* to find a deadlock: nobody waits for that, and the whole machine is looked at */

/* Put in before a call that is made again: short against what it waits for, long against the cost of a stop. */
#define POOL_PAUSE_MS 5                    /* until a process of a pool has ended, which then does in ms what its like did */
#define TICK_PAUSE_MS 10                   /* until a timer is read again: as often as timers of event loops */

/* For how long nothing happens before something gives way.  The more harm it does, the longer. */
#define RESTS_NS (15 * WOKEN_NS)         /* a conversation whose words differ is answered: 7 looks */
#define PASSED_BY_NS (20 * WOKEN_NS)     /* a wait goes on with what came from outside, before what the log has first: 10 looks */
#define AWAY_NS (100 * WOKEN_NS)         /* a thread that read has passed it on; a runtime's clock goes on: more than BUSY_NS */
#define UNLOGGED_NS (5 * BUSY_NS)          /* a wait is over of whose end the log has nothing: we may err about it */
#define GIVE_UP_NS (2000 * WOKEN_NS)     /* the order of turns is given up, which is a divergence; waits that repeat are looked at */
#define GIVE_UP_AGAIN_NS (GIVE_UP_NS / 10)     /* where it was given up some times: the replay is off its log */
#define OVERDUE_NS (50 * BUSY_NS)        /* a signal comes elsewhere than where the log has it */
#define DEADLOCK_NS (5000 * WOKEN_NS)    /* the replay ends, as all wait for each other: nothing is as harmful */
#define NO_PROGRESS_NS (2 * DEADLOCK_NS)     /* the same where waits repeat, in addition to twice the longest pause when recorded */
#define ENDLESS_NS (6 * DEADLOCK_NS)     /* the same where tasks compute: of their own time, beside five times that pause */
#define LONGEST_PAUSE_NS (7 * 86400 * 1000 * WOKEN_NS)     /* the longest recorded pause that counts: a week */
#define SPINS_NS NO_PROGRESS_NS              /* the same where not even idle events happen */

/* One look counts for so much at most: the machine may have been stopped between two. */
#define ONE_LOOK_NS PASSED_BY_NS
#define ONE_SLOW_LOOK_NS (2 * STUCK_NS)

#endif

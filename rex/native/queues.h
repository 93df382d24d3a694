/* Replay: queues of equal events, by a hash of what they are equal in. */
#ifndef REX_QUEUES_H
#define REX_QUEUES_H

/* Equal in task, call and key; in where the answer went; in process and who asked; and in what that thread had done last. */
enum { PLAIN, EXACT, ASKER, AFTER };

/* last: the last that was taken in order; latest: of clocks, the last in the log that was taken; ahead: those before it are
 * over for the thread, though some are left to other places.
 * asked, limits, waits: of who asks, how often, and how often before a wait until a point in time, and before or after one for readiness.
 * met, missed: of who asks in a thread, how often the log had it in a replay, and how often not. */
struct queue { uint64_t id; size_t count; struct event *first, *head, *tail, *last, *latest, *ahead; size_t asked, limits, waits; uint32_t met, missed; };

void queues_grow(void);
uint64_t queue_id(const struct script *s, long nr, uint64_t key, uint64_t exact);
struct queue *queue_at(uint64_t id);                 /* one with id 0 if there is none */
void queue_add(struct event *e, uint64_t id, int kind);
struct event *queue_left(struct queue *q, int kind);
struct event *queue_left_since_deed(const struct script *s, struct queue *q);
bool queues_near(const struct script *s, uint64_t key, uint64_t place, struct event **best);   /* the first left of what gettimeofday told near that place; false: none ever */
uint64_t place_of(long nr, const uint64_t *args);    /* of clocks: who asks, or where the answer goes */
bool replay_is_like_place(const struct task *t, const struct event *e);
bool replay_had_like_place(const struct task *t, const struct queue *q, int kind);
struct event *replay_like_place(const struct task *t, struct queue *q);   /* of clocks: where the answer went to such a place of a stack */

/* Clocks: see replay_asked.c. */
uint64_t asker_in(const struct record *r);           /* who asked; 0: not known; it is odd else */
struct queue *asker_queue(const struct script *s, uint64_t key, uint64_t asker);    /* what the log has for who asks, in any thread of the process; NULL if that is not known */
bool is_moment(const struct record *r);              /* the time of day, asked for by frame pointers: the thread does not go on with what it did before */
uint64_t replay_clock_began(void);                   /* CLOCK_MONOTONIC as the recording began */
uint64_t replay_clock_read_at(const struct record *r);   /* when in the log's time, which is when that came into the log at the latest */
void replay_clock_start(void);
void replay_clock_requeue(const struct script *s, const struct event *e);

/* See replay_clock.c. */
uint64_t replay_after_id(uint64_t asker_id, uint64_t did);    /* of the readings that came after that, see replay_did.c */
struct event *replay_after(struct task *t, uint64_t asker_id);
void replay_did_all(struct task *t);                 /* it goes on with something else */
bool replay_knows_asker(struct task *t, uint64_t key);
struct event *replay_clock(struct task *t, uint64_t key);
void replay_clock_told(struct task *t, const struct event *e);
void replay_clock_goes_on(struct task *t, const struct rex_call *c, uint64_t key);

/* The clock of a runtime: see replay_runtime.c. */
uint64_t replay_runtime_now(struct task *t, struct queue *asker);
void replay_runtime_told(struct task *t, uint64_t time);

#endif

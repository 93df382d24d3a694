/* Replay: queues of equal events, by a hash of what they are equal in. */
#ifndef REX_QUEUES_H
#define REX_QUEUES_H

enum { PLAIN, EXACT, ASKER };         /* equal in task, call and key; in where the answer went; in process and who asked */

/* last: the last that was taken in order; latest: of clocks, the last in the log that was taken. */
struct queue { uint64_t id; struct event *first, *head, *tail, *last, *latest; };

void queues_grow(void);
uint64_t queue_id(const struct script *s, long nr, uint64_t key, uint64_t exact);
struct queue *queue_at(uint64_t id);                 /* one with id 0 if there is none */
void queue_add(struct event *e, uint64_t id, int kind);
struct event *queue_left(struct queue *q, int kind);

#endif

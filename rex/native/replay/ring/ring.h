/* replay/ring: the answers that lie ahead in a task's ring.
 * replay/fill_ring.c lays them there; here is which of them the task has taken. */
#ifndef REX_REPLAY_RING_RING_H
#define REX_REPLAY_RING_RING_H

#include "base/base.h"
#include "log/log.h"

struct event;
struct task;

enum { RING_LARGEST = 8192, RING_MOST = RING_LARGEST / sizeof(struct record) };

/* An answer that lies in a task's ring: its first record, all of it; whether it was taken, with which result. */
struct ahead { struct event *event; uint32_t first, size; bool is_taken; int result; };

/* What lies there, and whether it is taken in this order. */
struct laid {
    bool any, has_order;
    size_t count;
    struct ahead run[RING_MOST];
};

/* ring.c */
struct laid *laid(const struct task *t);
void ring_note_open(struct task *t, const struct ahead *a);
size_t ring_mark_taken(const struct task *t, uint32_t n);
void replay_note_opens(struct task *t);
size_t replay_place_by_ring(struct task *t);

#endif

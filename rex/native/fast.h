/* What the engine and the code that it places into tracees agree on.
 *
 *   FAST_AT  code | pace of the counter | rules by call number | trampolines | a filter | frames, see unwind.h
 *            | rings, one for each thread
 *
 * The area lies in the gap that the kernel leaves between a stack of ordinary limit and
 * the highest mapping, at one address in every process: the filter lets calls through
 * that come from there, and a five-byte jump from the C library reaches it. */
#ifndef REX_FAST_H
#define REX_FAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FAST_AT 0x7ffff9000000ULL
#define FAST_PACE (FAST_AT + 0x1fc0)
#define FAST_RULES (FAST_AT + 0x2000)
#define FAST_SITES (FAST_AT + 0x5000)
#define FAST_FILTER (FAST_AT + 0x7000)
#define FAST_FRAMES (FAST_AT + 0xa000)
#define FAST_RINGS (FAST_AT + 0x12000)
enum { RULE_COUNT = 512, LONGEST_LISTING = 7168, LONGEST_SAID = 4096, SITE_COUNT = 256, SITE_SIZE = 32, RING_COUNT = 32, RING_SIZE = 0x4000,
       FAST_SIZE = 0x12000 + RING_COUNT * RING_SIZE };

/* A query is performed and noted, and so is the opening of a file for reading, and a write to who hears the task alone;
 * a call on a plain descriptor goes to the kernel as it is, but some that the engine is told of. */
enum rule_kind { RULE_NONE, RULE_QUERY, RULE_OPEN, RULE_PLAIN, RULE_SAY };

/* How a call is performed in the tracee.  An answer's bytes: size, or unit times the result; not more than
 * the argument that limits it, if any. */
struct rule {
    uint8_t kind, path, key, answers;         /* path, key: an argument, 255 without one */
    uint8_t place;                            /* an argument that tells who asks: where the answer goes; 255 without */
    uint8_t count;                            /* of a listing, which goes on where it ended: how much it may give */
    struct { uint8_t arg, unit, limit; uint16_t size; } answer[3];
};

/* Recording, events from 0 to `at` are to be taken, and there is room up to `end`.
 * Replaying, events from `at` to `end` are the next answers.
 * busy: the stub is at work on it, and the engine keeps off; so do queries of a signal's handler.  RING_SAYS: it writes, what and how
 * much the record there tells, until that counts.
 * asks: who asks is of interest, as the process has had threads.
 * external: a bit for each external descriptor, bit 63 for all above 62.
 * says: a bit for each descriptor that may be written to without a stop. */
struct ring {
    uint32_t at, end, replaying, busy;
    uint64_t external, asks, says;
    unsigned char data[RING_SIZE - 40];
};

#define RING_SAYS(at) ((at) << 1 | 2)          /* records begin at multiples of 8 */

/* What a site that reads the counter jumps to: see counter.c.  The stub comes back to `again`, or, with an answer, three bytes on. */
struct counter_slot {
    unsigned char lower[5], call[6], again[3], raise[8], moved[26];
    uint64_t entry, asker;
};

struct task;
struct user_regs_struct;
struct space;
struct files;
void fast_start(void);
uint64_t fast_in_tracee(const unsigned char *symbol);   /* where a tracee has what is in the stub */
uint64_t fast_allowed_ip(bool plain);                /* calls that return to here pass the filter */
bool fast_entry(struct task *t);
bool fast_area(struct task *t);                      /* false: it is being made, or there is none */
bool fast_is_mapped(const struct task *t);
bool fast_joins(struct task *t);                     /* at a stop that is no call's: it has a ring, now if not before */
void fast_asks(const struct task *leader);           /* its process has threads now */
void fast_born(struct task *t);
void fast_copy(struct space *to, const struct space *from);
void fast_ends(struct task *t);                       /* a call begins, perhaps its last */
void fast_drop(struct task *t);
bool fast_leave_stub(struct task *t);                /* true: it was half way through a query, which is done now */
void fast_look_again(struct task *t);                /* stopped as it begins a plain call, it looks once more whether that is one */
void fast_sync(struct task *t, bool ends);            /* ends: by whatever it may be */
void fast_sync_others(const struct task *t);
void fast_sync_running(struct task *t);
bool fast_is_busy(const struct task *t);             /* its stub is at work, or cannot be asked any more */
void fast_files(const struct files *f);
void fast_fill(struct task *t, const void *records, uint32_t n);
void fast_room(struct task *t, bool any);
bool fast_has_asked(const struct user_regs_struct *r);   /* the stub has done what it can, as a signal came */
uint64_t fast_caller_sp(struct task *t);             /* the stack pointer as its call was made, by the stub or not */


/* Call sites, and where those of an address space lead to.  used: places for trampolines, 0: no area yet; given: of the known ones. */
enum { SITE_AREAS = 3 };
struct site_area { unsigned used; size_t given; bool refused; };
struct site_area *fast_site_areas(struct task *t);
bool sites_area(struct task *t);                     /* false: that for where it stopped is being made, or there is none */
void sites_patch(struct task *t);
bool sites_are_known(const struct task *t);           /* some, by an earlier process */
bool sites_halt_others(struct task *t);
void sites_executed(struct task *t);

/* What was done without a stop, and, in a replay, what is to be. */
struct record;
struct event;
void record_taken(struct task *t, const unsigned char *records, uint32_t n);
void replay_taken(struct task *t, const unsigned char *records, uint32_t n);
void replay_ready(struct task *t);
void replay_answered(struct task *t, struct event *e);
char *replay_stands_in(const struct record *r, bool is_changed);

#endif

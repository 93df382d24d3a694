/* fastpath: what the engine and the code that it places into tracees agree on.
 * 
 *   FAST_AT  code | rate of the counter | rules by call number | trampolines | a filter | frames, see fastpath/frames.h
 *            | rings, one for each thread | what is hidden, see tracee/hidden.h
 * 
 * The area lies in the gap that the kernel leaves between a stack of ordinary limit and the highest mapping, at one
 * address in every process: the filter lets calls through that come from there, and a five-byte jump from the C library
 * reaches it. */
#ifndef REX_FASTPATH_AREA_H
#define REX_FASTPATH_AREA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"

#define FAST_AT 0x7ffff9000000ULL
#define FAST_PACE (FAST_AT + 0x5fc0)
#define FAST_RULES (FAST_AT + 0x6000)
#define FAST_SITES (FAST_AT + 0x9000)
#define FAST_FILTER (FAST_AT + 0xb000)
#define FAST_FRAMES (FAST_AT + 0xe000)
#define FAST_RINGS (FAST_AT + 0x16000)
#define FAST_HIDDEN (FAST_RINGS + RING_COUNT * RING_SIZE)

enum { RULE_COUNT = 512, LONGEST_LISTING = 7168, LONGEST_SAID = 4096, SITE_COUNT = 256, SITE_SIZE = 32, RING_COUNT = 32, RING_SIZE = 0x10000, CLEAN_SLOTS = 64, MADE_SLOTS = 8,
       HIDDEN_SIZE = 0x2000, FAST_SIZE = FAST_RINGS - FAST_AT + RING_COUNT * RING_SIZE + HIDDEN_SIZE };

/* A query is performed and noted, and so is the opening of a file for reading, and a write to a reader that reads from this task alone.
 * A replay opens files for writing, too, and makes them.
 * A call on a plain descriptor goes to the kernel as it is, except those that the engine must notice.
 * A change, of a file's owner, mode, times or attributes, is performed and noted if its own process has made the file;
 * a replay changes the file that stands in, and removes names, too.
 * A duplicate is noted if it is of a directory. */
enum rule_kind { RULE_NONE, RULE_QUERY, RULE_OPEN, RULE_PLAIN, RULE_SAY, RULE_CHANGE, RULE_DUPLICATE };

enum { NO_FLAGS = 7 };

/* How a call is performed in the tracee.  An answer's bytes: size, or unit times the result; not more than
 * the argument that limits it, if any. */
struct rule {
    uint8_t kind : 4, nargs : 3, repeats : 1; /* calls that are equal in so many arguments may become one record */
    uint8_t path, key;                        /* path, key: an argument, 255 without one; key of a change: its enum rex_op */
    uint8_t answers : 2, nofollow : 1, by_fd : 1; /* how many; a link as the last name is meant itself; of a descriptor, with flags only without a name */
    uint8_t lists_as_of_old : 1, flags : 3;   /* entries in the form of getdents; an argument of flags AT_..., NO_FLAGS without */
    uint8_t place;                            /* the argument that identifies the caller: where the answer goes; 255 without */
    uint8_t count;                            /* of a listing, which goes on where it ended: how much it may give */
    struct { uint8_t arg, unit, limit; uint16_t size; } answer[3];
};

/* Recording: the engine takes events from 0 to `at`; there is space up to `end`.
 * Replaying: events from `at` to `end` are the next answers.  IN_ANY_ORDER: all up to `end` are, but those marked as taken, of which
 * the furthest ends at `at`: see fastpath/stub_any_order.h.
 * busy: the stub uses the ring, and the engine must not; nor may queries of a signal handler.  RING_SAYS: the stub writes; the record
 * at the ring's position describes what and how much, until the event counts.
 * last, value: where the last whole record is, and what its value has grown to, see log/repeats.h.
 * asks: the caller of each query is noted, as the process has had threads.
 * external: a bit for each external descriptor, bit 63 for all above 62.
 * says: a bit for each descriptor that may be written to without a stop.
 * made: the regular files that the process has made last, whose descriptors it may have; recordings only.
 * clean: hashes of names, of directories mostly, that do not lead to hidden files, see fastpath/stub_hidden.h. */
struct made { uint64_t device, inode; };
struct ring {
    uint32_t at, end, replaying, busy;
    uint64_t external, asks, says, last, value, clean[CLEAN_SLOTS];
    struct made made[MADE_SLOTS];
    unsigned char data[RING_SIZE - 56 - 8 * CLEAN_SLOTS - 16 * MADE_SLOTS];
};
enum { IN_ORDER = 1, IN_ANY_ORDER };           /* how a replay's answers are taken */
enum { TAKEN = 1, TAKEN_LAST };                /* of a record in any order: its flags; the open that was taken last */
#define RING_SAYS(at) ((at) << 1 | 2)          /* records begin at multiples of 8 */

/* What a site that reads the counter jumps to: see cpu/counter_sites.c.  The stub comes back to `again`, or, with an answer, three bytes on. */
struct counter_slot {
    unsigned char lower[5], call[6], again[3], raise[8], moved[26];
    uint64_t entry, caller;
};

/* Call sites, and where those of an address space lead to.  used: places for trampolines, 0: no area yet; given: of the known ones. */
enum { SITE_AREAS = 3 };
struct site_area { unsigned used; size_t given; bool refused; };

#endif

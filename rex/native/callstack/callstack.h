/* callstack: which functions led to a call.
 * A hash over the return addresses, by unwind tables (.eh_frame) or frame pointers.  A replay matches clock readings by
 * it.  go_symbols.c finds out whether a Go runtime, and not the program, reads a clock. */
#ifndef REX_CALLSTACK_CALLSTACK_H
#define REX_CALLSTACK_CALLSTACK_H

#include "base/base.h"

struct observer;
struct space;
struct task;

/* callstack.c */
extern const struct observer callstack_observer;
uint64_t callstack_hash(struct task *t);  /* 0: not known */
bool caller_ends_in_file(void);  /* of the last hash: its stack ends in a file, such as where a thread begins */
uint64_t maker_of(struct task *t);  /* the same, of who makes a thread: some more functions, as libraries have theirs to make one */
bool is_by_pointers(struct task *t);  /* it calls from a function without tables */
uint64_t drawer_of(struct task *t);  /* by frame pointers, 0: there are tables */
bool is_caller_by_tables(uint64_t caller);  /* else by frame pointers */

/* go_symbols.c */
bool is_runtime(struct task *t, uint64_t caller);  /* the caller, found by frame pointers, is the language's runtime and not the program; see callstack/go_symbols.c */

#endif

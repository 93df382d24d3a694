/* fastpath: calls that are logged, or answered, without a stop.
 * The engine maps an area into the tracee (area.h): code (stub.c), a ring of records for each thread (ring.c) and
 * patched call sites (call_sites.c).  What the code there cannot do is left to a call that stops. */
#ifndef REX_FASTPATH_FASTPATH_H
#define REX_FASTPATH_FASTPATH_H

#include "base/base.h"

struct observer;
struct files;
struct space;
struct stat;
struct task;
struct user_regs_struct;

/* call_sites.c */
bool sites_halt_others(struct task *t);
void sites_executed(struct task *t);

/* yield.c */
void fast_evict(struct task *t);  /* another thread leaves the stub, and its calls stop from now on */
bool fast_yields(struct task *t);  /* at an entry-stop of a call that may change memory that is ours; true: another call comes before it */

/* ring.c */
extern const struct observer fastpath_observer;
void fast_start(void);
uint64_t fast_in_tracee(const unsigned char *symbol);  /* where a tracee has what is in the stub */
uint64_t fast_allowed_ip(bool plain);  /* calls that return to here pass the filter */
bool fast_passes(struct task *t);               /* a call that is not the mode's, as the stub makes it */
bool fast_is_stale(struct task *t);                   /* its descriptor is external by now: the stub is to look again */
bool fast_entry(struct task *t);
bool fast_area(struct task *t);  /* false: it is being made, or there is none */
bool fast_is_mapped(const struct task *t);
void fast_names_change(void), fast_directory_changes(struct task *moved);
void fast_know_directory(struct task *t, const char *path, uint32_t n, bool is_common);
bool fast_joins(struct task *t);  /* at a stop that is no call's: it has a ring, now if not before */
void fast_leaves(struct task *t);               /* all its calls stop from now on */
void fast_born(struct task *t);
void fast_ends(struct task *t);  /* a call begins, perhaps its last */
bool fast_leave_stub(struct task *t);  /* true: it was half way through a query, which is done now */
void fast_look_again(struct task *t);  /* stopped as it begins a plain call, it looks once more whether that is one */
void fast_sync(struct task *t, bool ends);  /* ends: by whatever it may be */
void fast_sync_others(const struct task *t);
void fast_sync_running(struct task *t);
void fast_settle(struct task *t);               /* the same, once its stub is not at work */
void fast_fill(struct task *t, const void *records, uint32_t n, int how);
void fast_ring_limit(struct task *t, bool any);
bool fast_has_asked(const struct user_regs_struct *r);  /* the stub has done what it can, as a signal came */
uint64_t fast_caller_sp(struct task *t);  /* the stack pointer as its call was made, by the stub or not */

/* made_files.c */
bool fast_know_made(struct task *t, const struct stat *st);
void fast_forget_made(struct task *t);

#endif

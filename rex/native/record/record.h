/* record: stops in, log and archive out.
 * One file for each kind of event: files, programs, signals, sockets, clocks, descriptors; and the order of outputs. */
#ifndef REX_RECORD_RECORD_H
#define REX_RECORD_RECORD_H

#include "base/base.h"

struct mode;
struct observer;
struct files;
struct record;
struct task;

/* What a recording's experiment has used. */
enum use { USED_READ = 1, USED_WRITTEN = 2, USED_PROGRAM = 4, USED_LOADER = 8, USED_SCRIPT = 16, USED_DIRECTORY = 32,
    USED_SAME = 64, USED_LINKED = 128 /* only in reports: a file that is as at the first look; one with several names */ };

/* descriptors.c */
void descriptor_entry(struct task *t);
void descriptor_exit(struct task *t, int64_t result);
bool closes_pipe(struct task *t);
bool is_unlogged(struct task *t, bool external);
uint64_t place_in_file(const struct task *t);  /* of its call, on a plain file: from 1 on; 0 = of another */

/* output_order.c */
extern const struct observer output_observer;

/* programs.c */
char *loader_named(const char *program);  /* of record/programs.c */
bool record_executes_instead(const struct task *t);    /* another file in the program's place */

/* record.c */
extern const struct mode recorder;
extern const struct observer record_observer;

/* signals.c */
void record_release(struct task *t);
void record_overdue(void);
bool record_defers(void);

/* sockets.c */
bool begins_hidden(const struct record *r);  /* a connection by TLS */

#endif

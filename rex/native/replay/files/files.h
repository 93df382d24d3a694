/* replay/files: the files of a replay.
 * Archived ones, those written below the output directory (overlay.c), names that the log does not have, locks,
 * listings, descriptor numbers. */
#ifndef REX_REPLAY_FILES_FILES_H
#define REX_REPLAY_FILES_FILES_H

#include "base/base.h"

struct bytes;
struct event;
struct files;
struct record;
struct rex_call;
struct task;

/* created_dirs.c */
void replay_names_now(struct task *t, const struct event *e);

/* exec.c */
void replay_exec(struct task *t, struct event *e);
void replay_execed(struct task *t);

/* fd_numbers.c */
int replay_number_now(struct task *t, const struct event *e, int fd);  /* which what had it at the event has */
bool replay_takes_number(struct task *t, const struct rex_call *c);  /* of a descriptor: see replay/files/fd_numbers.c */
void replay_leaves_number(struct task *t);
bool replay_drops_copy(struct task *t);

/* large_mappings.c */
void replay_mappings_start(void);
void replay_mapping(struct task *t);
void replay_mapped(struct task *t, int64_t result);

/* live_size.c */
void replay_size_now(struct task *t);

/* locks.c */
void replay_shared_start(void);
bool replay_shared_may_open(struct task *t, const struct event *e);
struct event *replay_shared_event(struct task *t);
bool replay_shared_ready(struct task *t, const struct event *e);
void replay_shared(struct task *t, struct event *e);
void replay_shared_exit(struct task *t, struct event *e, int64_t result);

/* open.c */
char *replay_stands_in(const struct record *r, bool is_changed);
char *replay_writes_to(const struct record *r);
void replay_finish_open(struct task *t, const struct event *e, int fd);
void replay_open(struct task *t, struct event *e);
void replay_inherited_start(void), replay_inherit(void), replay_inherited(struct task *t);
void replay_file_opened(struct task *t, struct event *e, int fd);

/* overlay.c */
void overlay_start(void);
char *overlay_read(const char *path);  /* file to open for reading, NULL = none */
void overlay_change(struct task *t, const struct record *r);  /* a call that changes the tree */
char *overlay_changed(const struct record *r);
bool overlay_has(const char *file);  /* by that name, no link */
void overlay_finish_change(const struct record *r, const char *file);
void overlay_bind(struct task *t, const struct record *r);

/* readdir.c */
struct event *replay_listing(struct task *t);  /* NULL: it is matched as others are */

/* modes.c */
void replay_modes_finish(void);

/* real_results.c */
void replay_results_start(void);
bool replay_result(struct task *t);  /* at an entry-stop; true: the log's result is given, or comes at the exit */
void replay_results_opened(struct task *t, int fd, const struct event *e);  /* a plain file */
bool replay_result_exit(struct task *t, int64_t result);
bool replay_opens_indirectly(struct task *t, int64_t result);  /* the call comes again, without O_DIRECT */

/* renamed.c */
void replay_read_names(struct task *t), replay_arguments_then(struct bytes *arguments);  /* see replay/files/renamed.c */

/* stat.c */
bool is_nameless_stat(const struct task *t);  /* of a descriptor, as fstat */
struct event *replay_nameless_stat(struct task *t, struct event *e);
bool replay_own_stat(struct task *t);  /* fstat answered by the open of that very file */
bool replay_own_stat_exit(struct task *t);  /* of such a call, whose copy the kernel has described */

/* unlogged_names.c */
bool replay_own_file(struct task *t);  /* true: made, changed or found, though not in the log: see replay/files/unlogged_names.c */
bool replay_is_of_changed(struct task *t, struct event *e);
bool replay_is_own_file(struct task *t), replay_is_of_own(struct task *t);
bool replay_is_as_now(struct task *t, const struct event *e);
bool replay_queries_name_of_sibling(struct task *t, const struct rex_call *c);
bool replay_is_own(struct task *t);
void replay_own_opened(struct task *t, int fd);
bool replay_renames_otherwise(struct task *t, const struct event *e);

#endif

/* replay/files: what its files share with each other only. */
#ifndef REX_REPLAY_FILES_INTERNAL_H
#define REX_REPLAY_FILES_INTERNAL_H

#include "base/base.h"
#include "tracee/task.h"

enum { OPEN_TO_OWNER = S_IRUSR | S_IWUSR };   /* a file that the replay may open */

struct event;
struct opened;
struct record;
struct task;

/* What this room keeps of a task. */
struct file_state {
    const struct field *stat_as;         /* what fstat is to report of the copy of a file */
    bool not_direct;                     /* the file system does not open its file with O_DIRECT */
    struct event *real_result;           /* of a call that runs for real, see real_results.c */
    bool has_own_arguments;              /* the program that it executes has others than when recorded */
    uint64_t opening;                    /* hash of the file that is being opened */
    int number;                          /* the descriptor that its wait has, 0 = none */
};

static inline struct file_state *file_state(const struct task *t)
{
    return module_state(t, FILES_STATE, sizeof(struct file_state));
}

/* created_dirs.c */
bool replay_is_within_made(const char *path);

/* locks.c */
uint32_t replay_shared_mark(const struct record *r);
void replay_shared_opened(struct task *t, int fd, const struct event *e);
char *replay_lock_file(const char *path, mode_t kind);  /* to lock instead of what others may lock too; NULL if that is not needed */
bool replay_is_locked(const char *path);

/* upper_names.c */
const char *overlay_name(const char *file);  /* what the program calls a file of the output directory; NULL: it is elsewhere */
bool upper_is_long(const char *path);  /* OUTDIR before it is longer than the kernel takes */
char *upper(const char *path);  /* its name below OUTDIR */

/* overlay.c */
const char *overlay_original(const char *path);  /* of a file that is changed at no time, nor moved with a directory */
const char *overlay_link(const char *path);  /* where an archived link leads */
char *overlay_write(const char *path, bool truncate);  /* the same for writing, copied up if archived */
char *overlay_made(const char *path);  /* what the replay has made there, NULL = nothing */
bool overlay_exists(const char *path);
bool overlay_is_archived(const char *path);
void overlay_change_own(struct task *t, const char *path, const char *path2);  /* its call, by these names */
bool overlay_is_kernel_device(const char *path);
char *overlay_program(const char *path, const char *loader, const char *held);  /* file to execute, NULL = none */

/* modes.c */
void set_mode(const char *path, mode_t mode);
void make_dir(const char *path, mode_t mode);
bool make_closed_file(const char *path, mode_t mode);  /* one that its owner may not read and write; false: it is made as usual, or there */

/* proc_fd.c */
char *replay_nameless(struct task *t, const char *resolved);  /* the substitute for what it opens; NULL: that has a name */

/* readdir.c */
char *replay_directory(const struct task *t);  /* the substitute for a directory that it opens */
void replay_note_directory(struct task *t, int fd);  /* which is open now */
struct opened *replay_directory_open(struct task *t, int fd);  /* NULL: not known to be one */

/* real_results.c */
bool replay_is_bounded(const char *path);

/* unlogged_names.c */
char *replay_own_name(struct task *t);
bool replay_makes_directory(long nr);
char *replay_full_name(struct task *t, const uint64_t *args, int dirfd_arg, const char *path);
char *replay_opened_name(struct task *t);  /* the same without links */
struct opened *replay_opened(struct task *t, int fd);
void replay_note_made_by_ring(const struct task *t, const struct event *e, int fd);
void replay_note_made(struct task *t, int fd);  /* an open made this descriptor, and perhaps its file */

#endif

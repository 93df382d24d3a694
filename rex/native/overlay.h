/* What stands in for the files of an experiment in its replay. */
#ifndef REX_OVERLAY_H
#define REX_OVERLAY_H

bool copy_bytes(int from, int to);
bool program_with_loader(const char *program, const char *loader, const char *copy);
mode_t masked(struct task *t, uint64_t mode);        /* without the bits of the tracee's umask */

void overlay_start(void);
const char *overlay_name(const char *file);          /* what the program calls a file of the output directory; NULL: it is elsewhere */
char *overlay_read(const char *path);                /* file to open for reading, NULL = none */
const char *overlay_original(const char *path);       /* of a file that is changed at no time, nor moved with a directory */
const char *overlay_link(const char *path);           /* where an archived link leads */
char *overlay_write(const char *path, bool truncate);/* the same for writing, copied up if archived */
char *overlay_made(const char *path);                  /* what the replay has made there, NULL = nothing */
bool overlay_exists(const char *path);
bool overlay_is_archived(const char *path);
void overlay_change_own(struct task *t, const char *path, const char *path2);   /* its call, by these names */
bool overlay_is_kernel_device(const char *path);
char *overlay_program(const char *path, const char *loader, const char *held);   /* file to execute, NULL = none */
void overlay_change(struct task *t, const struct record *r);   /* a call that changes the tree */
void overlay_bind(struct task *t, const struct record *r);

#endif

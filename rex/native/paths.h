/* What a path means to a tracee, and which its descriptors have: see paths.c. */
#ifndef REX_PATHS_H
#define REX_PATHS_H

#include <dirent.h>

char *link_of_fd(pid_t tid, int fd);                 /* the kernel's name of it */
uint64_t file_of_fd(pid_t tid, int fd);                 /* which file it is, by name; 0: none */
bool stat_of_fd(pid_t tid, int fd, struct stat *st); /* of what is open there; false: nothing */
char *path_of_fd(pid_t tid, int fd);                 /* in a live run the logical path */
DIR *fds_of(pid_t tid);                              /* its open descriptors; NULL: it is no more */
int next_fd(DIR *fds);                               /* -1: that were all, and they are closed */
char *path_real(const char *path);                   /* without links; NULL also for what has no place */
int path_stat(const char *path, struct stat *st, bool follow);   /* of a resolved path; 0 or -1 */
char *path_resolve(struct task *t, int dirfd, const char *path, bool follow);
int open_flags(struct task *t), flags_in(const struct record *r);
mode_t open_mode(struct task *t);
struct name_args { int dirfd, path, dirfd2, path2; } name_args(long nr);
void read_names(struct task *t);                     /* sets path, path2 from the tracee's memory */
void resolve_names(struct task *t);                  /* sets resolved, resolved2 from those */

#endif

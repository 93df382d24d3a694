/* What a recording's experiment has used. */
#ifndef REX_USED_H
#define REX_USED_H

enum use { USED_READ = 1, USED_WRITTEN = 2, USED_PROGRAM = 4, USED_LOADER = 8, USED_SCRIPT = 16, USED_DIRECTORY = 32,
    USED_SAME = 64, USED_LINKED = 128 /* only in reports: a file that is as at the first look; one with several names */ };
void record_use(const char *path, unsigned how, const struct stat *st);
void record_alias(const char *path);                 /* a name on the way to what was used */
void record_use_alias(struct task *t, int dirfd, const char *given, const char *resolved);

bool record_is_kernel_made(const char *path);
bool record_tells(long nr);                          /* of what is refused, so that it stops */
void record_refused(struct task *t);

#endif

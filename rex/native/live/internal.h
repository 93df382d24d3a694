/* live: what its files share with each other only. */
#ifndef REX_LIVE_INTERNAL_H
#define REX_LIVE_INTERNAL_H

#include "base/base.h"
#include "live/live.h"
#include "tracee/task.h"

struct bytes;
struct place;
struct stat;
struct strings;
struct task;
struct user_regs_struct;
struct world;
/* The state that this module keeps for each task. */
struct live_state {
    bool is_rewritten, is_logged, has_live_result;
    struct view *view;
    int64_t live_result;                 /* instead of that of the call that was put in its place */
    char *exec_name;                     /* of a program that is being executed */
};

static inline struct live_state *live_state(const struct task *t)
{
    return module_state(t, LIVE_STATE, sizeof(struct live_state));
}

/* change_tree.c */
void live_tree(struct task *t);

/* exec.c */
void live_programs_start(void);
void live_exec(struct task *t);
void live_execed(struct task *t);

/* live.c */
void live_use(enum live_kind kind, const char *what);
void live_answer(struct task *t, int64_t result);
void live_rewrite(struct task *t, long nr, uint64_t a, uint64_t b, uint64_t c, uint64_t d);
void live_rewritten(struct task *t, const struct user_regs_struct *r);

/* names.c */
bool live_stat_fd(struct task *t, int fd, struct stat *st);
int live_find(struct task *t, bool follow, struct place *p);
int live_find_at(struct task *t, int dirfd, const char *path, uint64_t at, bool follow, struct place *p);
int live_find_there(struct task *t, bool follow, struct place *p);
void live_stat(struct task *t);
void live_access(struct task *t);
void live_readlink(struct task *t);
void live_getcwd(struct task *t);
void live_statfs(struct task *t);
void live_get_attributes(struct task *t);
void live_getdents(struct task *t);

/* describe.c */
int live_describe(struct task *t, char kind, const char *path, struct bytes *into);

/* namespace.c */
struct world *view_world(size_t number);
bool view_is_hidden(const char *path);
void view_start(void);
bool view_mapped_stat(const char *path, struct stat *st);
bool view_is_kernel(const char *path);
bool view_is_upper(const char *physical);
bool view_is_lower(const char *path);
bool view_is_gone(const char *path);
char *view_parent(const char *path);
char *view_join(const char *directory, const char *name);
char *view_upper(const char *path);
bool view_is_missing(const struct place *p);  /* only its name is there, its content nowhere */
const char *view_exec_root(void);
int view_link(const char *from, const char *to);
void view_remove(const char *path);
void view_upper_made(const char *path);
void view_upper_moved(const char *path);

/* namespace_branch.c */
bool view_border(struct task *t);

/* namespace_change.c */
void view_read_directory(const char *directory, struct strings *names);
const struct strings *view_names(const struct place *p, bool is_renewed);
int view_make_parents(const char *path);
int view_copy_up(struct task *t, const struct place *p, bool is_empty);
int view_unlink(const struct place *p);
int view_rmdir(const struct place *p);
int view_rename(struct task *t, const struct place *from, const struct place *to, unsigned flags);
int view_hard_link(struct task *t, const struct place *from, const char *file, const struct place *to);

/* namespace_find.c */
char *view_target(struct task *t, const struct place *p);

/* open.c */
void live_open(struct task *t);
void live_chdir(struct task *t);
void live_watch(struct task *t);
void live_address(struct task *t);
void live_address_exit(struct task *t, int64_t result);

/* refusals.c */
int live_refusal(struct task *t, const struct place *p);

#endif

/* Live runs: the files that they see (view*.c), and their calls (live*.c). */
#ifndef REX_LIVE_H
#define REX_LIVE_H

struct node {                        /* something mapped */
    char *path;
    mode_t mode;
    long long mtime_ns;
    const char *file, *target;       /* what stands for a file; where a link points */
    struct node *child, *sibling;
    off_t size;                      /* of a stub, -1 unknown */
    bool is_stub;                    /* a file of which the archive has the name, not the content */
    bool is_local, is_placed;        /* a file of this machine; it has its place in WORK/tree */
    bool is_closed;                  /* a directory of which the archive knows every name */
};
enum layer { NOWHERE, UPPER, MAPPED, LIVE };
struct place {                       /* what a path leads to */
    char path[PATH_MAX];
    enum layer layer;
    struct node *node;
    struct stat st;                  /* as the run is to see it, links not followed */
    int links;
    bool is_magic;                   /* only the kernel can follow it: the path is a link in /proc */
};

struct world {                       /* what is mapped, and what is known of it */
    struct table index_of, listed, local_names, trees;
    char *tree_root;
    struct marks from, to;           /* in the plan's lists */
};
struct view {                        /* a world and what was changed on top of it */
    struct world *world;
    const char *outdir;
    struct table uppers, gone, listings;
    struct view *next;
};
extern struct view *view;            /* of the task whose call is at hand */
extern struct view *views;
struct world *view_world(size_t number);
bool view_border(struct task *t);
bool view_is_hidden(const char *path);

void view_start(void);
void view_report(void);
int view_look(const char *path, struct place *p);
int view_find(struct task *t, int dirfd, const char *path, bool follow, struct place *p);
bool view_mapped_stat(const char *path, struct stat *st);
bool view_is_kernel(const char *path);
bool view_is_upper(const char *physical);
bool view_is_lower(const char *path);
bool view_is_gone(const char *path);
char *view_parent(const char *path);
char *view_join(const char *directory, const char *name);
char *view_upper(const char *path);
char *view_logical(const char *physical);
char *view_physical(const struct place *p);
bool view_is_missing(const struct place *p);          /* only its name is there, its content nowhere */
char *view_target(struct task *t, const struct place *p);
const char *view_exec_root(void);
int view_link(const char *from, const char *to);
void view_read_directory(const char *directory, struct strings *names);
const struct strings *view_names(const struct place *p, bool is_renewed);
void view_remove(const char *path);
void view_upper_made(const char *path);
void view_upper_moved(const char *path);
int view_make_parents(const char *path);
int view_copy_up(struct task *t, const struct place *p, bool is_empty);
int view_unlink(const struct place *p);
int view_rmdir(const struct place *p);
int view_rename(struct task *t, const struct place *from, const struct place *to, unsigned flags);
int view_hard_link(struct task *t, const struct place *from, const char *file, const struct place *to);

enum { LIVE_ROOM = 2 << 20 };        /* for the arguments of a script */
enum live_kind { LIVE_FILE, LIVE_DIRECTORY, LIVE_PROGRAM, LIVE_RANDOM, LIVE_NETWORK, LIVE_DEVICE, LIVE_SYSTEM, LIVE_MISSING, LIVE_TIME };
extern bool is_live;
void live_start(void);
void live_end(void);                                 /* cancels the run */
bool live_is_recorded(void);
bool live_stops(long nr);
void live_use(enum live_kind kind, const char *what);
void live_answer(struct task *t, int64_t result);
char *loader_named(const char *program);             /* of record_programs.c */
void live_rewrite(struct task *t, long nr, uint64_t a, uint64_t b, uint64_t c, uint64_t d);
void live_rewritten(struct task *t, const struct user_regs_struct *r);
uint64_t live_room(struct task *t);
int live_find(struct task *t, bool follow, struct place *p);
int live_find_at(struct task *t, int dirfd, const char *path, uint64_t at, bool follow, struct place *p);
int live_find_there(struct task *t, bool follow, struct place *p);
bool live_stat_fd(struct task *t, int fd, struct stat *st);
void live_stat(struct task *t);
void live_access(struct task *t);
void live_readlink(struct task *t);
void live_getcwd(struct task *t);
void live_statfs(struct task *t);
void live_get_attributes(struct task *t);
void live_getdents(struct task *t);
void live_tree(struct task *t);
void live_open(struct task *t);
void live_chdir(struct task *t);
void live_watch(struct task *t);
void live_address(struct task *t);
void live_address_exit(struct task *t, int64_t result);
void live_programs_start(void);
void live_exec(struct task *t);
void live_execed(struct task *t);

#endif

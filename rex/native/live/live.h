/* live: a new experiment on archived files (rex runnew).
 * Calls that name files are answered from a namespace of three layers: changes of this run, archived files, this
 * machine's own. */
#ifndef REX_LIVE_LIVE_H
#define REX_LIVE_LIVE_H

#include "base/base.h"

struct mode;
struct marks;
struct stat;
struct table;
struct task;

/* Live runs: the files that they see (view*.c), and their calls (live*.c). */
struct node {                        /* something mapped */
    char *path;
    mode_t mode;
    struct timespec mtime;
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
    struct table refused;            /* a letter and a path: the errno that the experiment got */
    char *tree_root;
    struct marks from, to;           /* in the plan's lists */
};

struct view {                        /* a world and what was changed on top of it */
    struct world *world;
    const char *outdir;
    struct table uppers, gone, listings;
    struct view *next;
};
enum live_kind { LIVE_FILE, LIVE_DIRECTORY, LIVE_PROGRAM, LIVE_RANDOM, LIVE_NETWORK, LIVE_DEVICE, LIVE_SYSTEM, LIVE_MISSING, LIVE_TIME };

/* live.c */
extern const struct mode live, live_recorded;

/* namespace.c */
extern struct view *view;  /* of the task whose call is at hand */
extern struct view *views;
void view_report(void);
int view_look(const char *path, struct place *p);
char *view_logical(const char *physical);
char *view_physical(const struct place *p);

/* namespace_find.c */
int view_find(struct task *t, int dirfd, const char *path, bool follow, struct place *p);

#endif

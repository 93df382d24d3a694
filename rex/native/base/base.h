/* base: what every module needs.  It knows nothing of tracees.
 * Growing buffers and tables, fatal errors and the report, the plan file that Python writes. */
#ifndef REX_BASE_BASE_H
#define REX_BASE_BASE_H

#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/user.h>
#include <time.h>
#include <unistd.h>

typedef unsigned long long ull;

struct strings { char **item; size_t count; };

struct plan {
    const char *mode, *log, *program, *cwd, *outdir, *report, *empty, *work;
    const char *explain;                  /* replay: the file to explain events in, NULL = none */
    struct strings args, env, withhold;
    struct strings map_from, map_to;      /* replay: archived path, "mode seconds nanoseconds file" that stands for it */
    struct strings exec_from, exec_to;    /* replay: program, file to execute for it */
    struct strings link_from, link_to;    /* replay: archived symbolic link, its target */
    struct strings dirs;                  /* replay: archived directories, "mode path" */
    struct strings limits;                /* of the program: "number soft hard", -1 = none */
    struct strings steps;                 /* replay: tasks that are steps, see replay/tasks/workflow_steps.c */
    struct strings hidden;                /* record, live: directories that the program does not have, see tracee/hidden.c */
    const char *seed;                     /* of the randomness given to the program, NULL = the kernel's */
    struct strings times;                 /* live: "seconds nanoseconds path" */
    struct strings absent;                /* live: paths that the archive says are not there */
    struct strings refused;               /* live: "letter errno path", see live/refusals.c */
    struct strings stubs;                 /* live: "mode seconds nanoseconds size path" of files without content */
    struct strings listed, entries;       /* live: directories whose names it knows, and the paths of those */
    const char *objects;                  /* live: the folder of archived files, unpacked */
    const char *was_in;                   /* replay: the directory that the recording began in */
    struct marks { size_t map, link, dir, time, absent, refused, stub, listed, entry; } *worlds;
    size_t world_count;                   /* live: where the files of each world begin, see live/namespace_branch.c */
    uint64_t duration;                    /* replay: of the recording, ns */
    int mask;                             /* replay: the umask as recorded, -1 = leave */
    int control;                          /* record: descriptor of the capture service, -1 without */
    int hints;                            /* record: a pipe to it that never waits, -1 without */
    int gate;                             /* descriptor of who decides on steps, or on programs to execute, -1 without */
    bool serialize;                       /* record: one task at a time */
    bool watched;                         /* record: somebody reads the log while it grows */
    bool no_stdin;                        /* replay: standard input was closed */
};

/* A few streams that are of one kind. */
struct streams { uint32_t *id; size_t count; };

/* Sets and maps of strings. */
struct table { struct slot *slot; size_t size, used; };
struct slot { char *key; void *value; };

struct bytes { unsigned char *data; size_t used, size; };

/* bytes.c */
void *grow(void *items, size_t count, size_t size);
void *zalloc(size_t size);
char *text(const char *format, ...) __attribute__((format(printf, 1, 2)));
void streams_add(struct streams *s, uint32_t stream);
bool streams_have(const struct streams *s, uint32_t stream);
ull hash_bytes(const void *data, size_t n, ull seed);
void bytes_add(struct bytes *b, const void *data, size_t n);
unsigned char *bytes_reserve(struct bytes *b, size_t n);
void bytes_free(struct bytes *b);

/* standard.c */
void standard_hold(void);                           /* closed ones of 0, 1 and 2 become /dev/null, closed again by an exec */

/* clock.c */
uint64_t clock_ns(clockid_t id);

/* fail.c */
void die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
void die_at_once(const char *message) __attribute__((noreturn));
void log_is_damaged(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
void report_open(const char *path);
void report_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
void report_finish(int status);                      /* the wait status of the program, last of all */

/* plan.c */
extern struct plan plan;
void plan_read(const char *path);
struct timespec parse_time(char **p);      /* of the plan, "seconds nanoseconds"; p: behind them afterwards */
struct rlimit;
int plan_limit(size_t i, struct rlimit *r);  /* number and values of a limit of the program */
struct marks plan_marks(void);

/* io.c */
bool write_whole(int fd, const void *data, size_t n);
bool read_whole(int fd, void *data, size_t n);  /* false: it ends before that, too */

/* table.c */
void **table_at(struct table *t, const char *key);  /* makes it if missing */
void **table_at_file(struct table *t, uint64_t device, uint64_t inode);
void *table_get(const struct table *t, const char *key);

#endif

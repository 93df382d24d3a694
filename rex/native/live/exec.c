/* Live: programs.  The chain of scripts is followed here, since the kernel would take their
 * interpreters from this machine, and a program starts with the loader that the run sees. */
#include "base/base.h"
#include "live/internal.h"
#include "live/live.h"
#include "record/record.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"
#include "tree/tree.h"

#include <elf.h>
#include <fcntl.h>

enum { LINE = 256, DEPTH = 5 };

static struct table programs, made;

void live_programs_start(void)
{
    for (size_t i = 0; i < plan.exec_from.count && i < plan.exec_to.count; i++)
        *table_at(&programs, plan.exec_from.item[i]) = plan.exec_to.item[i];
}

/* ------------------------------------------------------------------ scripts */

struct line { char *interpreter, *argument; };

/* The first line of a script, by the rules of execve(2). */
static bool script_line(char *start, size_t n, struct line *l)
{
    *l = (struct line){NULL, NULL};
    if (n < 2 || strncmp(start, "#!", 2))
        return false;
    start[n] = 0;
    char *end = start + strcspn(start, "\n");
    while (end > start + 2 && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    *end = 0;
    char *p = start + 2 + strspn(start + 2, " \t");
    size_t length = strcspn(p, " \t");
    if (!length)
        return false;
    l->interpreter = strndup(p, length);
    p += length + strspn(p + length, " \t");
    if (*p)
        l->argument = strdup(p);
    return true;
}

static int may_execute(const struct place *p, const char *file)
{
    if (!S_ISREG(p->st.st_mode))
        return -EACCES;
    if (view_is_missing(p))
        return -ENOENT;
    if (p->layer == MAPPED)
        return p->st.st_mode & 0111 ? 0 : -EACCES;
    return faccessat(AT_FDCWD, file, X_OK, AT_EACCESS) ? -errno : 0;
}

/* ------------------------------------------------------------------ loaders */

static void make_above(const char *path)
{
    char *copy = strdup(path);
    for (char *slash = copy + strlen(plan.work) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = 0;
        mkdir(copy, 0700);
        *slash = '/';
    }
    free(copy);
}

/* Under WORK/exec, where the kernel's name for it shows its path: prepared by the caller, made here, or as it is. */
static char *placed(const char *path, const char *file, const char *loader, const char *prepared)
{
    char *to = text("%s%s", view_exec_root(), path);
    struct stat st;
    if (stat(file, &st))
        st = (struct stat){0};
    char *identity = text("%s %lld %lld.%ld %s", file, (long long)st.st_ino, (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec,
                          loader ? loader : "");
    char **known = (char **)table_at(&made, path);
    if (!*known || strcmp(*known, identity)) {
        make_above(to);
        unlink(to);
        if (prepared ? view_link(prepared, to) != 0 : loader ? !program_with_loader(file, loader, to) : view_link(file, to) != 0)
            die("cannot place %s", to);
        free(*known);
        *known = strdup(identity);
    }
    free(identity);
    return to;
}

/* What the kernel is to execute for a program that is there. */
static char *program_file(struct task *t, const struct place *p)
{
    char *file = view_physical(p), *named = loader_named(file), *result;
    struct place loader;
    free(t->loader);
    t->loader = NULL;
    const char *prepared = p->layer == MAPPED ? table_get(&programs, p->path) : NULL;
    if (!named || view_find(t, AT_FDCWD, named, true, &loader) || loader.layer == NOWHERE) {
        result = p->layer == MAPPED ? placed(p->path, file, NULL, NULL) : strdup(file);
        free(named);
        free(file);
        return result;
    }
    char *loader_file = view_physical(&loader);
    t->loader = strdup(loader.path);
    if (p->layer != MAPPED && loader.layer == LIVE)
        result = strdup(file);
    else
        result = placed(p->path, file, loader_file, prepared);
    if (loader.layer == LIVE)
        live_use(LIVE_FILE, loader.path);
    free(loader_file);
    free(named);
    free(file);
    return result;
}

/* ------------------------------------------------------------------ execve */

struct chain { char *before[2 * DEPTH + 1]; int count; struct place p; };

static void put_before(struct chain *c, char *argument)
{
    memmove(c->before + 1, c->before, (size_t)c->count * sizeof *c->before);
    c->before[0] = argument;
    c->count++;
}

/* Follows scripts to the program; 0 or -errno. */
static int follow(struct task *t, struct chain *c, const char *name)
{
    char head[LINE + 1];
    char *given = strdup(name);
    int failed = 0;
    for (int depth = 0; !failed; depth++) {
        struct line l;
        char *file = view_physical(&c->p);
        failed = may_execute(&c->p, file);
        int fd = failed ? -1 : open(file, O_RDONLY | O_CLOEXEC);
        ssize_t n = fd < 0 ? 0 : read(fd, head, LINE);
        if (!failed && fd < 0)
            failed = -errno;
        if (fd >= 0)
            close(fd);
        free(file);
        if (failed || !script_line(head, n > 0 ? (size_t)n : 0, &l)) {
            if (!failed && (n < EI_CLASS + 1 || memcmp(head, ELFMAG, SELFMAG) || head[EI_CLASS] == ELFCLASS32))
                failed = -ENOEXEC;
            break;
        }
        if (c->p.layer == LIVE)
            live_use(LIVE_PROGRAM, c->p.path);
        if (depth >= DEPTH) {
            failed = -ELOOP;
            break;
        }
        put_before(c, given);
        if (l.argument)
            put_before(c, l.argument);
        given = l.interpreter;
        failed = view_find(t, AT_FDCWD, given, true, &c->p);
        if (!failed && c->p.layer == NOWHERE)
            failed = -ENOENT;
    }
    if (c->count)
        put_before(c, given);
    else
        free(given);
    return failed;
}

/* The argument vector with the interpreters before it, in the tracee. */
static uint64_t put_arguments(struct task *t, struct chain *c, uint64_t argv)
{
    struct bytes pointers = {0}, strings = {0};
    uint64_t at = scratch_put(t, "", 1), big = scratch_large(t), pointer;
    size_t offset[2 * DEPTH + 1];
    size_t skip = PATH_MAX;               /* the program's path lies before */
    for (int i = 0; i < c->count; i++) {
        offset[i] = skip + strings.used;
        bytes_add(&strings, c->before[i], strlen(c->before[i]) + 1);
    }
    if (strings.used > PATH_MAX - 1)
        return 0;
    for (int i = 0; i < c->count; i++) {
        pointer = at + offset[i];
        bytes_add(&pointers, &pointer, sizeof pointer);
    }
    for (uint64_t from = argv + (argv ? 8 : 0); argv; from += 8) {
        if (!mem_read(t->tid, from, &pointer, sizeof pointer) || !pointer)
            break;
        bytes_add(&pointers, &pointer, sizeof pointer);
    }
    pointer = 0;
    bytes_add(&pointers, &pointer, sizeof pointer);
    bool good = pointers.used <= LARGE_SLOT && mem_write(t->tid, at + skip, strings.data, strings.used)
        && mem_write(t->tid, big, pointers.data, pointers.used);
    bytes_free(&pointers);
    bytes_free(&strings);
    return good ? big : 0;
}

/* execveat of a descriptor: its own path. */
static int find_program(struct task *t, struct chain *c, char **name)
{
    bool by_at = name_args(t->nr).dirfd >= 0;
    if (lookup_flags(t->nr, t->args) & AT_EMPTY_PATH && t->path && !*t->path) {
        char *path = path_of_fd(t->tid, (int)t->args[0]);
        *name = text("/dev/fd/%d", (int)t->args[0]);
        int failed = path ? view_find(t, AT_FDCWD, path, false, &c->p) : -EBADF;
        free(path);
        return failed;
    }
    bool follow_last = follows_last(t->nr, t->args);
    int failed = live_find(t, follow_last, &c->p);
    bool is_relative = by_at && (int)t->args[0] != AT_FDCWD && t->path && *t->path != '/';
    *name = is_relative ? text("/dev/fd/%d/%s", (int)t->args[0], t->path) : strdup(t->path ? t->path : "");
    return failed ? failed : !follow_last && S_ISLNK(c->p.st.st_mode) ? -ELOOP : 0;
}

void live_exec(struct task *t)
{
    if (record_executes_instead(t)) {                /* a file of this machine, which the kernel finds */
        free(t->loader);
        t->loader = NULL;
        return;
    }
    int first = name_args(t->nr).path + 1;
    struct chain c = {.count = 0};
    char *name = NULL;
    int failed = find_program(t, &c, &name);
    if (!failed && c.p.is_magic) {        /* a file in memory: the kernel's business */
        free(name);
        return;
    }
    if (!failed && c.p.layer == NOWHERE)
        failed = -ENOENT;
    if (!failed)
        failed = follow(t, &c, name);
    uint64_t argv = failed || !c.count ? t->args[first] : put_arguments(t, &c, t->args[first]);
    if (!failed && c.count && !argv)
        failed = -E2BIG;
    if (failed)
        live_answer(t, failed);
    else {
        char *file = program_file(t, &c.p);
        if (c.p.layer == LIVE)
            live_use(LIVE_PROGRAM, c.p.path);
        live_rewrite(t, REX_NR_execve, scratch_put(t, file, strlen(file) + 1), argv, t->args[first + 1], 0);
        exec_stack_raise(t);
        free(live_state(t)->exec_name);
        live_state(t)->exec_name = strdup(name);
        free(file);
    }
    for (int i = 0; i < c.count; i++)
        free(c.before[i]);
    free(name);
}

/* The program sees its name as the caller gave it, not the physical path. */
void live_execed(struct task *t)
{
    exec_stack_restore(t);
    if (live_state(t)->exec_name)
        stack_rename(t, live_state(t)->exec_name);
    free(live_state(t)->exec_name);
    live_state(t)->exec_name = NULL;
    live_state(t)->is_rewritten = false;
}

/* Record: programs.  The scripts, loaders and stacks of what is executed. */
#include "base/base.h"
#include "log/log.h"
#include "mode/mode.h"
#include "record/internal.h"
#include "record/record.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"
#include "track/track.h"

#include <elf.h>
#include <fcntl.h>

enum { SCRIPT_LINE = 256, SCRIPT_DEPTH = 5, MOST_PARTS = 16 };

/* The interpreter of a script, as the kernel reads its first line; NULL if it has none. */
static char *script_interpreter(const char *line)
{
    if (strncmp(line, "#!", 2))
        return NULL;
    line += 2 + strspn(line + 2, " \t");
    size_t n = strcspn(line, " \t\n");
    return n ? strndup(line, n) : NULL;
}

static ssize_t read_start(const char *path, char *into, size_t n)
{
    char *file = run_mode->names ? run_mode->names->physical(path) : strdup(path);
    int fd = file ? open(file, O_RDONLY | O_CLOEXEC) : -1;
    free(file);
    ssize_t got = fd < 0 ? -1 : read(fd, into, n);
    if (fd >= 0)
        close(fd);
    return got;
}

/* Follows the chain of scripts; each goes into the event.  Refuses 32-bit programs. */
static void follow_scripts(struct task *t, char *path)
{
    for (int depth = 0; path && depth < SCRIPT_DEPTH; depth++) {
        char line[SCRIPT_LINE + 1] = "";
        ssize_t n = read_start(path, line, SCRIPT_LINE);
        if (n < 0 && !faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) && faccessat(AT_FDCWD, path, R_OK, AT_EACCESS)) {
            record_state(t)->exec_refused = EACCES;
            log_note(t->index, "%s may be executed but not read, so that it cannot be kept; it was refused; make it readable", path);
        }
        char *next = n > 2 ? script_interpreter(line) : NULL;
        if (!next) {
            if (n > EI_CLASS && !memcmp(line, ELFMAG, SELFMAG) && line[EI_CLASS] == ELFCLASS32) {
                record_state(t)->exec_refused = ENOEXEC;
                log_note(t->index, "%s is a 32-bit program, which Rex cannot record; it was refused", path);
            }
            break;
        }
        log_field(&record_state(t)->exec, FIELD_WHOLE, FIELD_SCRIPT, path, strlen(path));
        record_use(path, USED_SCRIPT, NULL);
        record_alias(next);
        free(path);
        path = path_resolve(t, AT_FDCWD, next, true);
        free(next);
    }
    free(path);
}

static void log_strings(struct task *t, uint64_t at, uint8_t arg)
{
    struct bytes all = {0};
    mem_strings(t->tid, at, &all);
    log_field(&record_state(t)->exec, arg, FIELD_ARGV, all.data, all.used);
    bytes_free(&all);
}

static bool loses_privileges(struct task *t, const struct stat *st)
{
    unsigned uid = geteuid(), gid = getegid();
    if (!(st->st_mode & (S_ISUID | S_ISGID)))
        return false;
    proc_value(t->tid, "status", "Uid: %*u %u", &uid);
    proc_value(t->tid, "status", "Gid: %*u %u", &gid);
    return (st->st_mode & S_ISUID && st->st_uid != uid) || (st->st_mode & S_ISGID && st->st_mode & S_IXGRP && st->st_gid != gid);
}

/* ------------------------------------------------------------------ another program in its place */

/* Before the answer questions about names may come, where those are not the kernel's: a letter and a path. */
#define ABOUT_A_NAME (1u << 31)

static bool send_name(struct task *t, uint32_t length)
{
    char asked[PATH_MAX + 1] = "";
    struct bytes message = {0}, found = {0};
    if (length < 1 || length >= sizeof asked || !read_whole(plan.gate, asked, length))
        return false;
    int32_t failed = run_mode->names ? run_mode->names->describe(t, *asked, asked + 1, &found) : -ENOSYS;
    uint32_t n = failed ? 0 : (uint32_t)found.used;
    bytes_add(&message, &failed, sizeof failed);
    bytes_add(&message, &n, sizeof n);
    bytes_add(&message, found.data, n);
    bool good = write_whole(plan.gate, message.data, message.used);
    bytes_free(&message);
    bytes_free(&found);
    return good;
}

/* The process at the other end of the gate gets task, process, path, arguments, variables and the rest of what the program
 * inherits.  It answers with the path of the program to execute instead, or with none: then the program itself runs. */
static void ask_gate(struct task *t, int argv, const struct bytes *state)
{
    struct bytes b = {0}, question = {0};
    uint32_t head[6] = {t->leader->index, (uint32_t)t->tid, (uint32_t)strlen(t->path)}, length = 0;
    bytes_add(&b, t->path, head[2]);
    mem_strings(t->tid, t->args[argv], &b);
    head[3] = (uint32_t)b.used - head[2];
    mem_strings(t->tid, t->args[argv + 1], &b);
    head[4] = (uint32_t)b.used - head[2] - head[3];
    head[5] = (uint32_t)state->used;
    bytes_add(&b, state->data, state->used);
    bytes_add(&question, head, sizeof head);
    bytes_add(&question, b.data, b.used);
    char path[PATH_MAX] = "";
    bool good = write_whole(plan.gate, question.data, question.used);
    while (good && (good = read_whole(plan.gate, &length, sizeof length)) && length & ABOUT_A_NAME)
        good = send_name(t, length & ~ABOUT_A_NAME);
    if (!good || length >= sizeof path || !read_whole(plan.gate, path, length))
        die("the process that decides on the steps has ended");
    record_state(t)->exec_instead = length ? strdup(path) : NULL;
    bytes_free(&question);
    bytes_free(&b);
}

/* The kernel reads the path from below the stack, where nothing is that anybody needs. */
static void execute_instead(struct task *t)
{
    enum { RED_ZONE = 128 };
    struct user_regs_struct r = t->regs;
    size_t n = strlen(record_state(t)->exec_instead) + 1;
    uint64_t at = (r.rsp - RED_ZONE - n) & ~15ULL;
    if (!mem_write(t->tid, at, record_state(t)->exec_instead, n))
        die("cannot write to the stack of a tracee");
    if (name_args(t->nr).path)
        r.rsi = at;
    else
        r.rdi = at;
    regs_set(t, &r);
}

bool record_executes_instead(const struct task *t)
{
    return record_state(t)->exec_instead;
}

/* The program that called finds its registers as they were. */
void record_exec_failed(struct task *t)
{
    if (!record_state(t)->exec_instead)
        return;
    struct user_regs_struct r = regs_get(t);
    r.rdi = t->regs.rdi;
    r.rsi = t->regs.rsi;
    regs_set(t, &r);
}

static void first_program(struct task *t, int argv)
{
    static struct bytes state;
    state.used = 0;
    inherited_state(t, &state);
    log_field(&record_state(t)->exec, FIELD_WHOLE, FIELD_INHERITED, state.data, state.used);
    if (plan.gate >= 0 && t->path && *t->path)
        ask_gate(t, argv, &state);
}

/* As is known of most names that a shell tries. */
static bool is_missing(const char *name)
{
    struct stat st;
    return name && path_is_common(name) && !run_mode->names && lstat(name, &st) && errno == ENOENT;
}

void record_exec_entry(struct task *t)
{
    struct record_state *s = record_state(t);
    struct name_args n = name_args(t->nr);
    int dirfd = n.dirfd >= 0 ? (int)t->args[n.dirfd] : AT_FDCWD;
    struct stat st;
    s->exec.used = 0;
    s->exec_refused = is_missing(t->path) ? ENOENT : 0;
    if (s->exec_refused)
        return;
    log_strings(t, t->args[n.path + 1], (uint8_t)(n.path + 1));
    free(s->exec_instead);
    s->exec_instead = NULL;
    if (!record_state(t->leader)->executed)                 /* what it executes later depends on what it did before */
        first_program(t, n.path + 1);
    if (s->exec_instead)
        execute_instead(t);
    char *path = s->exec_instead ? strdup(s->exec_instead) : t->path ? path_resolve(t, dirfd, t->path, true) : NULL;
    if (path && !path_stat(path, &st, true) && loses_privileges(t, &st))
        log_note(t->index, "%s is setuid or setgid and runs without its privileges", path);
    follow_scripts(t, path);
}

/* The loader that a program names; NULL for none. */
char *loader_named(const char *program)
{
    struct { Elf64_Ehdr h; Elf64_Phdr p[MOST_PARTS]; } start = {0};
    const Elf64_Ehdr *h = &start.h;
    char path[PATH_MAX] = "";
    int fd = open(program, O_RDONLY | O_CLOEXEC);
    bool good = fd >= 0 && pread(fd, &start, sizeof start, 0) >= (ssize_t)sizeof *h;
    for (int i = 0; good && i < h->e_phnum; i++) {
        Elf64_Phdr p = start.p[i < MOST_PARTS ? i : 0];
        if (h->e_phoff != sizeof *h || i >= MOST_PARTS)       /* elsewhere, or too many */
            good = pread(fd, &p, sizeof p, (off_t)(h->e_phoff + (size_t)i * sizeof p)) == sizeof p;
        if (good && p.p_type == PT_INTERP && p.p_filesz < sizeof path)
            good = pread(fd, path, p.p_filesz, (off_t)p.p_offset) == (ssize_t)p.p_filesz;
    }
    if (fd >= 0)
        close(fd);
    return *path ? strdup(path) : NULL;
}

static char *loader_of(const char *program)
{
    char *named = loader_named(program), *real = named ? path_real(named) : NULL;
    free(named);
    return real;
}

/* At the event-stop of a successful exec: the new program's stack is as the kernel made it. */
void record_execed(struct task *t)
{
    static struct bytes b;
    static struct stack stack;
    record_state(t)->executed = true;
    struct name_args n = name_args(t->nr);
    struct stat st;
    char exe[40], *path, *loader;
    snprintf(exe, sizeof exe, "/proc/%d/exe", t->tid);
    log_begin(&b, (uint16_t)t->nr, t->index);
    struct record *r = (struct record *)b.data;
    memcpy(r->args, t->args, sizeof t->args);
    bool whole = stack_read(t, &stack);
    if (whole) {
        stack_hide_vdso(t, &stack);
        if (plan.seed)
            seed_stack(t, &stack);
        mask_variables(stack.image.data, stack.image.used, &plan.withhold);
        ((struct record *)b.data)->args[3] = stack.at;
    }
    if (t->path)
        log_field(&b, (uint8_t)n.path, FIELD_IN, t->path, strlen(t->path));
    char target[PATH_MAX];
    ssize_t length = readlink(exe, target, sizeof target - 1);
    path = length > 0 ? strndup(target, (size_t)length) : NULL;
    if (path && run_mode->names) {
        char *physical = path;
        path = run_mode->names->logical(physical);
        free(physical);
    }
    if (path) {
        log_field(&b, (uint8_t)n.path, FIELD_RESOLVED, path, strlen(path));
        record_use(path, USED_PROGRAM, NULL);
        if (t->path)
            record_use_alias(t, n.dirfd >= 0 ? (int)t->args[n.dirfd] : AT_FDCWD, t->path, path);
    }
    if (run_mode->names && path ? !path_stat(path, &st, true) : !stat(exe, &st)) {
        log_field(&b, (uint8_t)n.path, FIELD_STAT, &st, sizeof st);
        cause_found(t, path ? path : exe, st.st_ino);
    }
    loader = !run_mode->names || record_state(t)->exec_instead ? loader_of(exe) : t->loader ? strdup(t->loader) : NULL;
    if (loader) {
        log_field(&b, FIELD_WHOLE, FIELD_LOADER, loader, strlen(loader));
        record_use(loader, USED_LOADER, NULL);
        report_line("program=%s", path ? path : "");
        report_line("loader=%s", loader);
    }
    shared_executed(t);
    bytes_add(&b, record_state(t)->exec.data, record_state(t)->exec.used);
    if (whole)
        log_field(&b, FIELD_WHOLE, FIELD_STACK, stack.image.data, stack.image.used);
    log_end(&b);
    free(path);
    free(loader);
}

static bool is_reported(long nr)
{
    return call_of(nr) && call_of(nr)->reported;
}

void record_refused(struct task *t)
{
    static bool is_reported_already[REX_CALL_COUNT];
    if (!is_reported(t->nr) || is_reported_already[t->nr])
        return;
    is_reported_already[t->nr] = true;
    char exe[32], path[PATH_MAX];
    snprintf(exe, sizeof exe, "/proc/%d/exe", t->tid);
    ssize_t n = readlink(exe, path, sizeof path - 1);
    path[n > 0 ? n : 0] = 0;
    log_note(t->index, "%s asked for %s, which is refused to recorded programs: it may do other things than without Rex", path, call_of(t->nr)->name);
}

/* Calls stop that are reported as refused; with one task at a time all do. */
int record_stop_of(long nr, int stop)
{
    bool duplicates = call_of(nr) && call_of(nr)->hook == REX_HOOK_DUP;
    return !is_serialized() && (is_reported(nr) || duplicates) ? REX_STOP_ALWAYS : stop;
}

void record_unread_memory(void)
{
    if (mem_refused())
        log_note(0, "the kernel refused %llu reads of the program's memory: the recording lacks them, and its replay may diverge", mem_refused());
}

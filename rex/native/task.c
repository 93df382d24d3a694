/* Tasks, their address spaces and the external descriptors of their processes. */
#include "engine.h"
#include "fast.h"
#include "writers.h"
#include "unwind.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/wait.h>

struct task *tasks, *ended_processes;
static uint32_t next_index;
static bool forked;

struct task *task_of(pid_t tid)
{
    for (struct task *t = tasks; t; t = t->next)
        if (t->tid == tid && t->alive)
            return t;
    return NULL;
}

int tasks_alive(void)
{
    int n = 0;
    for (struct task *t = tasks; t; t = t->next)
        n += t->alive;
    return n;
}

bool tasks_forked(void)
{
    return forked;
}

/* What /proc has of it after its name, in a static buffer; "" if it is no more. */
static const char *stat_of(struct task *t)
{
    static char line[512];
    char name[48];
    if (!t->stat_fd) {
        snprintf(name, sizeof name, "/proc/%d/task/%d/stat", t->leader->tid, t->tid);
        t->stat_fd = open(name, O_RDONLY | O_CLOEXEC);
    }
    ssize_t n = t->stat_fd > 0 ? pread(t->stat_fd, line, sizeof line - 1, 0) : 0;
    line[n > 0 ? n : 0] = 0;
    char *end = strrchr(line, ')');
    return end && end[1] ? end + 2 : "";
}

/* A stop more as it ends, by whatever it may be.  Children begin so, too. */
void task_watch_end(struct task *t, uint8_t reason, bool watched)
{
    uint8_t reasons = watched ? t->end_watched | reason : t->end_watched & ~reason;
    if (!reasons != !t->end_watched)
        ptrace(PTRACE_SETOPTIONS, t->tid, 0, trace_options() | (reasons ? PTRACE_O_TRACEEXIT : 0));
    t->end_watched = reasons;
}

/* As the kernel shows it: R runs, S sleeps, D sleeps for a disk, t is at a stop, Z has ended. */
char task_state(struct task *t)
{
    const char *stat = stat_of(t);
    return *stat ? *stat : 'X';
}

/* It is beyond its last instruction, and others may know, though it was not yet reported. */
bool task_is_ending(struct task *t)
{
    enum { EXITING = 4 };
    unsigned flags = 0;
    sscanf(stat_of(t), "%*c %*d %*d %*d %*d %*d %u", &flags);
    return flags & EXITING;
}

bool task_halt(struct task *t)
{
    enum { TRIES = 2000 };
    siginfo_t info;
    int tries = 0;
    ptrace(PTRACE_INTERRUPT, t->tid, 0, 0);
    do {
        info.si_pid = 0;
        sched_yield();
    } while (!waitid(P_PID, (id_t)t->tid, &info, WEXITED | WSTOPPED | WNOWAIT | WNOHANG | __WALL) && !info.si_pid
             && (++tries < TRIES || task_state(t) == 'R'));
    return info.si_pid;
}

bool task_blocks(const struct task *t, int sig)
{
    ull blocked = 0;
    proc_value(t->tid, "status", "SigBlk: %llx", &blocked);
    return blocked >> (sig - 1) & 1;
}

bool task_masks(const struct task *t, int sig, int how)
{
    uint64_t set = 0, bit = 1ULL << (sig - 1);
    if (t->nr != REX_NR_rt_sigprocmask || !t->args[1] || !mem_read(t->tid, t->args[1], &set, sizeof set))
        return false;
    return (int)t->args[0] == SIG_SETMASK ? !(set & bit) == (how == SIG_UNBLOCK) : (int)t->args[0] == how && set & bit;
}

struct usage task_usage(const struct task *t)
{
    char name[64] = "/proc/self/schedstat";
    struct usage u = {0, 0};
    if (t)
        snprintf(name, sizeof name, "/proc/%d/task/%d/schedstat", t->leader->tid, t->tid);
    FILE *f = fopen(name, "re");
    if (!f)
        return u;
    if (fscanf(f, "%llu %llu", &u.ran, &u.waited) != 2)
        u = (struct usage){0, 0};
    fclose(f);
    return u;
}

struct usage usage_since(const struct task *t, struct usage *before)
{
    struct usage now = task_usage(t), since = {now.ran > before->ran ? now.ran - before->ran : 0, now.waited > before->waited ? now.waited - before->waited : 0};
    *before = now;
    return since;
}

/* Its number is another from now on. */
void task_renamed(struct task *t)
{
    if (t->stat_fd > 0)
        close(t->stat_fd);
    t->stat_fd = 0;
}

static struct files *files_copy(const struct files *f)
{
    struct files *copy = zalloc(sizeof *copy);
    *copy = *f;
    copy->refs = 1;
    copy->item = NULL;
    for (int i = 0; i < f->count; i++) {
        copy->item = grow(copy->item, (size_t)i, sizeof *copy->item);
        copy->item[i] = f->item[i];
    }
    copy->copies |= f->reserved;
    copy->reserved = 0;
    copy->opened = NULL;
    copy->opened_count = 0;
    for (int fd = 0; fd < f->opened_count; fd++)
        files_open(copy, fd, f->opened[fd].event, f->opened[fd].file);
    return copy;
}

static void files_drop(struct files *f)
{
    if (--f->refs == 0) {
        free(f->item);
        free(f->opened);
        free(f);
    }
}

static void space_drop(struct space *s)
{
    if (--s->refs == 0) {
        free(s->fast);
        free(s->frames);
        free(s->counters);
        free(s->files);
        free(s->names);
        free(s);
    }
}

/* The flags are clone's; the first task has no parent. */
struct task *task_new(pid_t tid, struct task *parent, uint64_t flags)
{
    struct task *t = zalloc(sizeof *t);
    t->tid = tid;
    t->index = next_index++;
    t->alive = true;
    t->nr = NO_CALL;
    t->leader = parent && (flags & CLONE_THREAD) ? parent->leader : t;
    t->leader->threads++;
    forked |= parent && t->leader == t;
    if (t->leader != t && !t->leader->threaded) {
        t->leader->threaded = true;
        fast_asks(t->leader);
    }
    t->from_threads = parent && t->leader == t && (parent->leader->threaded || parent->leader->from_threads);
    if (parent && (flags & CLONE_FILES))
        (t->files = parent->files)->refs++;
    else if (parent)
        t->files = files_copy(parent->files);
    else {
        t->files = zalloc(sizeof *t->files);
        t->files->refs = 1;
    }
    if (parent && (flags & CLONE_VM))
        (t->space = parent->space)->refs++;
    else {
        t->space = zalloc(sizeof *t->space);
        t->space->refs = 1;
        if (parent) {
            t->space->scratch = parent->space->scratch;
            t->space->loader = parent->space->loader;
            t->space->sites = parent->space->sites;
            fast_copy(t->space, parent->space);
            unwind_copy(t->space, parent->space);
            counter_copy(t->space, parent->space);
        }
    }
    if (parent) {
        t->watched = parent->watched;
        t->watches = parent->watches;
        t->end_watched = parent->end_watched;
    }
    const char *cwd = parent ? parent->leader->cwd : plan.was_in;
    if (cwd && t->leader == t)
        t->cwd = strdup(cwd);
    t->next = tasks;
    tasks = t;
    return t;
}

static void task_free(struct task *t)
{
    free(t->path);
    free(t->path2);
    free(t->resolved);
    free(t->resolved2);
    free(t->creating);
    free(t->cwd);
    free(t->run);
    if (t->script && !t->script->birth)   /* of its own: the log has none for it */
        free(t->script);
    if (t->pending)
        bytes_free(t->pending);
    if (t->exec)
        bytes_free(t->exec);
    free(t->pending);
    free(t->exec);
    bytes_free(&t->moved);
    free(t);
}

/* A replay keeps processes, under the names that their parents know. */
static void task_bury(struct task *t)
{
    struct task **at = &tasks;
    while (*at != t)
        at = &(*at)->next;
    *at = t->next;
    if (handler == &replayer && t->leader == t) {
        t->next = ended_processes;
        ended_processes = t;
    } else
        task_free(t);
}

/* A leader stays among the tasks for as long as others name it. */
void task_end(struct task *t)
{
    struct task *leader = t->leader;
    t->alive = false;
    leader->threads--;
    task_renamed(t);
    serial_ended(t);
    fast_drop(t);
    files_drop(t->files);
    space_drop(t->space);
    t->files = NULL;
    t->space = NULL;
    if (t != leader)
        task_bury(t);
    if (!leader->alive && !leader->threads)
        task_bury(leader);
}

/* After exec: close-on-exec. */
static void files_prune(struct files *f, pid_t tid)
{
    for (int i = f->count - 1; i >= 0; i--) {
        char name[40];
        struct stat st;
        snprintf(name, sizeof name, "/proc/%d/fd/%d", tid, f->item[i].fd);
        if (lstat(name, &st))
            files_set(f, f->item[i].fd, 0);
    }
}

/* A new program: its own address space and descriptors. */
void task_exec(struct task *t)
{
    fast_drop(t);
    space_drop(t->space);
    t->space = zalloc(sizeof *t->space);
    t->space->refs = 1;
    if (t->files->refs > 1) {
        struct files *own = files_copy(t->files);
        files_drop(t->files);
        t->files = own;
    }
    files_prune(t->files, t->tid);
    pipe_executed(t->files);
    t->files->reserved = t->files->copies = 0;
    t->from_threads |= t->threaded;       /* what it keeps open keeps its number */
    t->threaded = t->kin = false;
}

uint32_t files_mark(const struct files *f, int fd)
{
    for (int i = 0; i < f->count; i++)
        if (f->item[i].fd == fd)
            return f->item[i].stream;
    return 0;
}

uint32_t files_stream(const struct files *f, int fd)
{
    uint32_t mark = files_mark(f, fd);
    return mark < SHARED_FILE ? mark : 0;
}

uint32_t files_shared(const struct files *f, int fd)
{
    uint32_t mark = files_mark(f, fd);
    return mark >= SHARED_FILE && mark < (uint32_t)PIPE_WRITTEN ? mark - SHARED_FILE : 0;
}

bool files_has_shared(const struct files *f, uint32_t mark)
{
    for (int i = 0; i < f->count; i++)
        if (f->item[i].stream == SHARED_FILE + mark)
            return true;
    return false;
}

void files_share(struct files *f, int fd, uint32_t mark)
{
    files_set(f, fd, SHARED_FILE + mark);
}

void files_unshare(struct files *f, uint32_t mark)
{
    for (int i = f->count - 1; i >= 0; i--)
        if (f->item[i].stream == SHARED_FILE + mark)
            files_set(f, f->item[i].fd, 0);
}

bool files_piped(const struct files *f, int fd)
{
    return files_mark(f, fd) >= (uint32_t)PIPE_BYTES;
}

bool files_inside(const struct files *f, int fd)
{
    return files_mark(f, fd) == (uint32_t)SOCKET_INSIDE;
}

bool files_counts(const struct files *f, int fd)
{
    return files_mark(f, fd) == (uint32_t)PIPE_COUNTER;
}

void files_duplicate(struct files *f, int from, int to)
{
    uint32_t mark = files_mark(f, from);
    files_set(f, to, mark == (uint32_t)PIPE_WRITTEN && from <= 2 && to > 2 ? 0 : mark);
}

uint64_t files_external(const struct files *f)
{
    uint64_t fds = 0;
    for (int i = 0; i < f->count; i++)
        fds |= 1ULL << (f->item[i].fd < 63 ? f->item[i].fd : 63);
    return fds;
}

uint64_t files_outputs(const struct files *f)
{
    uint64_t fds = 0;
    for (int i = 0; i < f->count; i++)
        fds |= f->item[i].fd < 63 && is_output(f->item[i].stream) ? 1ULL << f->item[i].fd : 0;
    return fds;
}

void files_set(struct files *f, int fd, uint32_t stream)
{
    int i = 0;
    uint32_t before = files_mark(f, fd);
    while (i < f->count && f->item[i].fd != fd)
        i++;
    if (i == f->count && stream) {
        f->item = grow(f->item, (size_t)f->count, sizeof *f->item);
        f->item[f->count++] = (struct external){fd, stream};
        f->high += fd > 2;
    } else if (stream)
        f->item[i].stream = stream;
    else if (i < f->count) {
        f->high -= fd > 2;
        f->item[i] = f->item[--f->count];
    }
    f->waited = f->high ? f->waited : 0;
    if (stream != before)
        fast_files(f);
}

void files_open(struct files *f, int fd, struct event *e, uint64_t file)
{
    for (; f->opened_count <= fd; f->opened_count++) {
        f->opened = grow(f->opened, (size_t)f->opened_count, sizeof *f->opened);
        f->opened[f->opened_count] = (struct opened){0};
    }
    f->opened[fd] = (struct opened){.event = e, .file = file};
}

struct opened *files_opened(const struct files *f, int fd)
{
    return fd >= 0 && fd < f->opened_count && (f->opened[fd].event || f->opened[fd].file) ? &f->opened[fd] : NULL;
}

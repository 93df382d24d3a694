/* Tasks, their address spaces and the external descriptors of their processes. */
#include "base/base.h"
#include "mode/mode.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

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
    t->module_states = zalloc(MODULE_STATES * sizeof *t->module_states);
    t->leader = parent && (flags & CLONE_THREAD) ? parent->leader : t;
    t->leader->threads++;
    forked |= parent && t->leader == t;
    if (t->leader == t)
        regime_begins(t);
    else if (!t->leader->threaded) {
        t->leader->threaded = true;
        regime_has_threads(t->leader);
        TELL_OBSERVERS(threads_began, t->leader);
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
            t->space->own_memory = parent->space->own_memory;
            t->space->undumpable = parent->space->undumpable;
            t->space->loader = parent->space->loader;
            t->space->sites = parent->space->sites;
            TELL_OBSERVERS(space_copied, t->space, parent->space);
        }
    }
    if (parent) {
        t->filter = parent->filter;
        t->no_new_rights = parent->no_new_rights;
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
    free(t->cwd);
    TELL_OBSERVERS(freed, t);
    for (int i = 0; i < MODULE_STATES; i++)
        free(t->module_states[i]);
    free(t->module_states);
    free(t);
}

/* A replay keeps processes, under the names that their parents know. */
static void task_bury(struct task *t)
{
    struct task **at = &tasks;
    while (*at != t)
        at = &(*at)->next;
    *at = t->next;
    if (run_mode->replays && t->leader == t) {
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
    TELL_OBSERVERS(ended, t);
    TELL_OBSERVERS(program_gone, t);
    files_drop(t->files);
    space_drop(t->space);
    t->files = NULL;
    t->space = NULL;
    if (t != leader)
        task_bury(t);
    if (!leader->alive && !leader->threads)
        task_bury(leader);
}

/* A new program: its own address space and descriptors. */
void task_exec(struct task *t)
{
    TELL_OBSERVERS(program_gone, t);
    own_memory_gone(t);
    space_drop(t->space);
    t->space = zalloc(sizeof *t->space);
    t->space->refs = 1;
    if (t->files->refs > 1) {
        struct files *own = files_copy(t->files);
        files_drop(t->files);
        t->files = own;
    }
    files_prune(t->files, t->tid);
    TELL_OBSERVERS(executed, t->files);
    t->files->reserved = t->files->copies = 0;
    t->from_threads |= t->threaded;       /* what it keeps open keeps its number */
    t->threaded = false;
    regime_begins(t);
}

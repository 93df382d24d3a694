/* The tables of a replay's rules, asked without any tracee: a log is loaded, tasks are made up, and each line of standard
 * input is one question (engine_rules.py).  Built from the engine's sources, with this main instead of the engine's.
 *
 *     task N                              a task of the log begins
 *     call N NUMBER A0 .. A5 STREAM PATH  it makes a call ("-": without a path): "EVENT ROW", or "- -" if nothing answers
 *     enter N NUMBER A0 .. A5             it comes to a call, with all that the tracer does at its entry: "RULE STATE", the rule that
 *                                         acted, and "blocked", "held", "again" (the call comes again), "runs", or the result
 *     may N EVENT                         whether the event may happen now: "go -", or "hold GATE"
 *     done EVENT                          it has happened
 *     ticks N                             N seconds of the engine's processor time pass within one step: "passed"
 *     loop                                a step that has no end
 *     has N FD STREAM                     a descriptor is external
 *     shares N                            a process shares memory with its parent
 *     is N STATE                          a task is in a state that earlier calls have led to: see states[]
 *     drawer N                            the hash of who draws random bytes in it, see callstack/
 *     put AT BYTES                        bytes of the tasks' memory, as hexadecimal numbers */
#include "base/base.h"
#include "callstack/callstack.h"
#include "log/log.h"
#include "mode/mode.h"
#include "replay/index/index.h"
#include "replay/match/match.h"
#include "replay/regime/internal.h"
#include "replay/replay.h"
#include "replay/rules/explain.h"
#include "replay/rules/rules.h"
#include "replay/tasks/internal.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

enum { MOST_TASKS = 64, MEMORY = 1 << 16 };
#define MEMORY_AT 0x10000000ULL          /* engine_rules.py knows it: of all tasks, and ours */
static const struct observer *const watching[] = {&task_log_observer, NULL};
static struct task *made[MOST_TASKS];

/* A process that does nothing: /proc has it, as it has those of tracees. */
static pid_t sleeper(void)
{
    sigset_t all;
    pid_t own = getpid(), pid = fork();
    if (pid)
        return pid;
    close(STDOUT_FILENO);
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);      /* what a rule sends is not to end it */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (getppid() == own)
        pause();
    _exit(0);
}

static struct task *task_at(unsigned n)
{
    if (n >= MOST_TASKS || !made[n])
        die("there is no task %u", n);
    return made[n];
}

static void make_task(unsigned n)
{
    const struct record *birth = task_log_of(n)->birth;
    bool is_first = (uint32_t)birth->args[0] == UINT32_MAX;
    uint64_t flags = is_first ? 0 : birth->args[2];
    struct task *parent = is_first ? NULL : task_at((unsigned)birth->args[0]);
    made[n] = task_new(sleeper(), parent, flags);
    made[n]->started = true;
    made[n]->task_log = task_log_of(n);
    made[n]->task_log->is_taken = true;
}

static void make_call(struct task *t, char *line)
{
    char path[PATH_MAX];
    int at = 0;
    sscanf(line, "%ld %lu %lu %lu %lu %lu %lu %u %n", &t->nr, &t->args[0], &t->args[1], &t->args[2], &t->args[3], &t->args[4],
           &t->args[5], &t->stream, &at);
    free(t->path);
    snprintf(path, sizeof path, "%s", line + at);
    path[strcspn(path, "\n")] = 0;
    t->path = strcmp(path, "-") ? strdup(path) : NULL;
    t->state = CALL_ENTERED;
    if (t->matched)
        t->matched->taker = NULL;
    explain_begins(t);
    t->matched = replay_match(t, t->nr, call_key(call_of(t->nr), t->nr, t->path, t->stream, t->args));
    if (t->matched)
        printf("%u %s\n", t->matched->number, explained(t)->match);
    else
        puts("- -");
}

/* So that a rule can see and set its registers. */
static void stop(struct task *t)
{
    int status;
    if (ptrace(PTRACE_SEIZE, t->tid, 0, PTRACE_O_EXITKILL) || ptrace(PTRACE_INTERRUPT, t->tid, 0, 0) || waitpid(t->tid, &status, __WALL) != t->tid)
        die("cannot stop task %d: %s", t->tid, strerror(errno));
}

static void show_state(struct task *t)
{
    struct user_regs_struct r = regs_get(t);
    if (t->blocked || t->held || t->rewound || r.orig_rax != (ull)-1)
        puts(t->blocked ? "blocked" : t->held ? "held" : t->rewound ? "again" : "runs");
    else
        printf("%lld\n", (long long)r.rax);
}

static void enter(struct task *t, const char *line)
{
    stop(t);
    const struct user_regs_struct own = t->regs = regs_get(t);
    t->regs.rsp = MEMORY_AT + MEMORY;
    sscanf(line, "%ld %lu %lu %lu %lu %lu %lu", &t->nr, &t->args[0], &t->args[1], &t->args[2], &t->args[3], &t->args[4], &t->args[5]);
    t->regs.orig_rax = (ull)t->nr;
    regs_set(t, &t->regs);
    t->state = CALL_ENTERED;
    t->blocked = t->held = t->rewound = t->want_exit = false;
    replayer.entry(t);
    printf("%s ", explained(t)->rule);
    show_state(t);
    regs_set(t, &own);                   /* it sleeps on, whatever the rule did */
    ptrace(PTRACE_DETACH, t->tid, 0, 0);
}

static void skips(struct task *t)
{
    family(t)->is_skipped = true;
}

static void has_copy(struct task *t)
{
    t->files->copies = 1 << 5;
}

static void has_no_name(struct task *t)
{
    family(t)->is_nameless = true;
    family(t)->maker = task_at((unsigned)t->task_log->birth->args[0]);
}

static void handles_signal(struct task *t)
{
    regime_state(t)->handler_sp = UINT64_MAX;
}

static void begins(struct task *t)
{
    t->started = false;
}

/* It is in a function that has no tables, whose frames lie where the test puts them. */
static void has_frame_pointers(struct task *t)
{
    t->regs.rip = MEMORY_AT + 64;
    t->regs.rsp = t->regs.rbp = MEMORY_AT + MEMORY / 2;
}

/* As if an open of the replay had made it. */
static void has_open_file(struct task *t)
{
    int fd = STDERR_FILENO;
    t->files->opened = zalloc((size_t)(fd + 1) * sizeof *t->files->opened);
    t->files->opened_count = fd + 1;
    for (size_t i = 0; i < event_count; i++)
        if (call_of(events[i].record->call) && call_of(events[i].record->call)->hook == REX_HOOK_OPEN)
            t->files->opened[fd] = (struct opened){.event = &events[i], .file = file_of_fd(t->tid, fd)};
}

static const struct { const char *name; void (*set)(struct task *t); } states[] = {
    {"in-a-skipped-step", skips}, {"with-a-copy-of-5", has_copy}, {"nameless", has_no_name}, {"in-a-handler", handles_signal},
    {"beginning", begins}, {"with-frame-pointers", has_frame_pointers}, {"with-an-open-file-as-2", has_open_file},
};

static void set_state(struct task *t, const char *name)
{
    size_t n = strcspn(name, "\n");
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (n == strlen(states[i].name) && !strncmp(name, states[i].name, n))
            states[i].set(t);
}

static void put(uint64_t at, const char *hex)
{
    unsigned byte;
    for (unsigned char *to = (unsigned char *)at; sscanf(hex, "%2x", &byte) == 1; hex += 2)
        *to++ = (unsigned char)byte;
}

static void ask_gates(struct task *t, unsigned number)
{
    explain_begins(t);
    if (number >= event_count)
        die("there is no event %u", number);
    t->nr = events[number].record->call;
    bool may = replay_may_happen(t, &events[number]);
    printf("%s %s\n", may ? "go" : "hold", may ? "-" : explained(t)->gate);
}

int main(int argc, char **argv)
{
    static char line[2 * PATH_MAX];
    unsigned n, number, stream;
    unsigned long address;
    int at;
    if (argc != 2)
        return 2;
    mmap((void *)MEMORY_AT, MEMORY, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    plan_read(argv[1]);
    report_open(plan.report);
    run_mode = &replayer;
    observers = watching;
    run_mode->begin();
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "task %u", &n) == 1)
            make_task(n);
        else if (sscanf(line, "call %u %n", &n, &at) == 1)
            make_call(task_at(n), line + at);
        else if (sscanf(line, "may %u %u", &n, &number) == 2)
            ask_gates(task_at(n), number);
        else if (sscanf(line, "enter %u %n", &n, &at) == 1)
            enter(task_at(n), line + at);
        else if (sscanf(line, "has %u %u %u", &n, &number, &stream) == 3)
            files_set(task_at(n)->files, (int)number, stream);
        else if (sscanf(line, "shares %u", &n) == 1)
            replay_group_born(made[task_log_of(n)->birth->args[0]], task_at(n), 0);
        else if (sscanf(line, "is %u %n", &n, &at) == 1)
            set_state(task_at(n), line + at);
        else if (sscanf(line, "drawer %u", &n) == 1)
            printf("%lu\n", drawer_of(task_at(n)));
        else if (sscanf(line, "put %lu %n", &address, &at) == 1)
            put(address, line + at);
        else if (sscanf(line, "done %u", &number) == 1 && number < event_count)
            replay_done(&events[number]);
        else if (sscanf(line, "ticks %u", &n) == 1) {
            for (; n; n--)
                raise(SIGVTALRM);
            puts("passed");
        } else if (!strncmp(line, "loop", 4))
            for (volatile int i = 0; ; i++)
                ;
        fflush(stdout);
    }
    return 0;
}

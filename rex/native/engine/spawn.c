/* The first tracee: its signals, its working directory and its filter; and the signals that are passed on to it. */
#include "base/base.h"
#include "engine/internal.h"
#include "mode/mode.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <fcntl.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

pid_t spawned;
volatile sig_atomic_t spawn_forwarded;

static void inherit_signals(const struct sigaction *saved)
{
    sigset_t none;
    sigemptyset(&none);
    for (int s = 1; s < 32; s++)
        if (s != SIGKILL && s != SIGSTOP)
            sigaction(s, &saved[s], NULL);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Those of the program, which are not ours. */
static void inherit_limits(void)
{
    for (size_t i = 0; i < plan.limits.count; i++) {
        struct rlimit r, was;
        int number = plan_limit(i, &r);
        getrlimit((__rlimit_resource_t)number, &was);
        if ((number == RLIMIT_AS || number == RLIMIT_DATA) && !run_mode->logs)     /* space for what the engine maps */
            r.rlim_max = was.rlim_max;
        if (setrlimit((__rlimit_resource_t)number, &r))
            _exit(125);
    }
}

static void tracee(int gate, const struct sigaction *saved)
{
    char c;
    if (read(gate, &c, 1) != 1)
        _exit(125);
    close(gate);
    if (run_mode->child_setup)
        run_mode->child_setup();
    if (plan.mask >= 0)
        umask((mode_t)plan.mask);
    if (plan.cwd && chdir(plan.cwd))
        _exit(125);
    inherit_limits();
    bool is_watched = uses_log();
    if (is_watched || plan.seed)          /* addresses are the same in every run, too */
        personality(ADDR_NO_RANDOMIZE);
    inherit_signals(saved);
    if (is_watched)
        prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
    filter_install();
    execve(plan.program, plan.args.item, plan.env.item);
    _exit(errno == ENOENT ? 127 : 126);
}

static void forward(int sig)
{
    spawn_forwarded = sig;
}

/* While recording, the terminal's signals are for the program, and those sent to us are passed on. */
static void own_signals(struct sigaction *saved)
{
    static const int ignored[] = {SIGINT, SIGQUIT, SIGTSTP, SIGTTOU, SIGTTIN, SIGPIPE};
    static const int passed[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
    for (int s = 1; s < 32; s++)
        sigaction(s, NULL, &saved[s]);
    signal(SIGXFSZ, SIG_IGN);             /* a limit of ours is an error like any other */
    if (run_mode->replays)
        return;
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        signal(ignored[i], SIG_IGN);
    struct sigaction a = {.sa_handler = forward};
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
        sigaction(passed[i], &a, NULL);
}

void spawn(void)
{
    int gate[2];
    static struct sigaction saved[32];
    if (pipe2(gate, O_CLOEXEC))
        die("pipe: %s", strerror(errno));
    own_signals(saved);
    place_start();
    spawned = fork();
    if (spawned < 0)
        die("fork: %s", strerror(errno));
    if (spawned == 0) {
        close(gate[1]);
        tracee(gate[0], saved);
    }
    if (ptrace(PTRACE_SEIZE, spawned, 0, trace_options())) {
        int problem = errno;
        kill(spawned, SIGKILL);
        report_line("not_permitted=%s", strerror(problem));
        die("ptrace is not permitted: %s", strerror(problem));
    }
    task_new(spawned, NULL, 0)->started = true;
    run_mode->born(NULL, tasks, 0);
    if (scheduler)
        scheduler->first(tasks);
    close(gate[0]);
    if (write(gate[1], "", 1) != 1)
        die("cannot start the program");
    close(gate[1]);
}

/* Record: what a program inherits besides descriptors 0 to 2, its variables and its directory.  One line for each: name=value.
 * A program that inherits something else may do another thing, so a recorded step stands for it only if all of this is equal. */
#include "base/base.h"
#include "record/internal.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>

enum { IOPRIO_PROCESS = 1, FIRST_FD = 3 };

/* The program has chosen processors.  Until then they are chosen for it, see engine/placement.c. */
static bool chooses_processors;

static void line(struct bytes *b, char *made)
{
    bytes_add(b, made, strlen(made));
    free(made);
}

/* Lines of /proc/TID/status that are passed on unchanged, and their names. */
static const struct { const char *label, *name; } shown[] = {
    {"Umask:", "umask"}, {"Uid:", "uid"}, {"Gid:", "gid"}, {"Groups:", "groups"}, {"NoNewPrivs:", "no_new_privs"}, {"SigBlk:", "blocked"},
    {"SigIgn:", "ignored"}, {"CapInh:", "cap_inheritable"}, {"CapPrm:", "cap_permitted"}, {"CapEff:", "cap_effective"},
    {"CapBnd:", "cap_bounding"}, {"CapAmb:", "cap_ambient"}, {"Cpus_allowed:", "cpus"},      /* the last: see chooses_processors */
};

static void add_status(struct task *t, struct bytes *b)
{
    char name[32], text_line[4096];
    ull pending = 0, blocked = 0, more;
    snprintf(name, sizeof name, "/proc/%d/status", t->tid);
    FILE *f = fopen(name, "re");
    while (f && fgets(text_line, sizeof text_line, f)) {
        text_line[strcspn(text_line, "\n")] = 0;
        for (size_t i = 0; i < sizeof shown / sizeof *shown - !chooses_processors; i++) {
            size_t n = strlen(shown[i].label);
            if (!strncmp(text_line, shown[i].label, n))
                line(b, text("%s=%s\n", shown[i].name, text_line + n + strspn(text_line + n, " \t")));
        }
        if (*text_line != 'S')
            continue;
        if (sscanf(text_line, "SigPnd: %llx", &more) == 1 || sscanf(text_line, "ShdPnd: %llx", &more) == 1)
            pending |= more;
        sscanf(text_line, "SigBlk: %llx", &blocked);
    }
    if (f)
        fclose(f);
    line(b, text("pending=%llx\n", pending & blocked));    /* it keeps those; others come before it runs */
}

static void add_stat(struct task *t, struct bytes *b)
{
    int group = 0, session = 0, terminal = 0;
    ull persona = 0;
    proc_value(t->tid, "stat", "%*d (%*[^)]) %*c %*d %d %d %d", &group, &session, &terminal);
    proc_value(t->tid, "personality", "%llx", &persona);
    line(b, text("personality=%llx\nleads=%s%s\nterminal=%d\n", persona, group == t->leader->tid ? "group " : "",
                 session == t->leader->tid ? "session" : "", terminal != 0));
    line(b, text("nice=%d\nscheduler=%d\nio_priority=%ld\n", getpriority(PRIO_PROCESS, (id_t)t->tid), sched_getscheduler(t->tid),
                 syscall(SYS_ioprio_get, IOPRIO_PROCESS, t->tid)));
}

static void add_limits(struct task *t, struct bytes *b)
{
    struct rlimit r;
    line(b, text("limits="));
    for (int i = 0; i < RLIM_NLIMITS; i++)
        if (!prlimit(t->tid, (__rlimit_resource_t)i, NULL, &r))
            line(b, text("%s%lld %lld", i ? "," : "", (long long)r.rlim_cur, (long long)r.rlim_max));
    line(b, text("\n"));
}

/* Who has written to a standard file before the program begins, as a shell's own echo does, shows in no log but here. */
static void add_positions(struct task *t, struct bytes *b)
{
    for (int fd = 0; fd < FIRST_FD; fd++) {
        ull at = files_stream(t->files, fd) ? 0 : position_of_fd(t->tid, fd, 0);
        if (at)
            line(b, text("position=%d %llu\n", fd, at));
    }
}

/* Of external ones the log shows what is done with them. */
static void add_descriptors(struct task *t, struct bytes *b)
{
    DIR *fds = fds_of(t->tid);
    for (int fd; fds && (fd = next_fd(fds)) >= 0; ) {
        if (fd < FIRST_FD || files_stream(t->files, fd) || flags_of_fd(t->tid, fd, O_CLOEXEC) & O_CLOEXEC)
            continue;
        char *name = link_of_fd(t->tid, fd);
        bool is_path = name && *name == '/';
        line(b, text("descriptor=%d %.*s\n", fd, name ? is_path ? (int)strlen(name) : (int)strcspn(name, ":") : 0, name ? name : ""));
        free(name);
    }
}

void inherited_state(struct task *t, struct bytes *b)
{
    add_status(t, b);
    add_stat(t, b);
    add_limits(t, b);
    add_positions(t, b);
    add_descriptors(t, b);
    if (record_state(t->leader)->has_timer)
        line(b, text("timer=1\n"));
}

/* A timer of the process goes on in the program that it executes, and so does what processors it may use. */
void inherited_entry(struct task *t)
{
    if (op_of(t->nr) == REX_OP_TIMER)
        record_state(t->leader)->has_timer = true;
    chooses_processors |= t->nr == REX_NR_sched_setaffinity;
}

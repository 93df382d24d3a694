/* The program's own seccomp filters, and strict mode. What they refuse by an error, a trap or a kill is refused in a replay, too.
 * Calls that a strict list does not have, and that only the engine makes or answers, kill no task.
 *
 * live: differs=made.txt
 * engine: native (threads)
 * shows: prctl
 * source: limits, seccomp filters, undumpable processes
 */
#include "guest.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>

#define NR BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))
#define IF_NR(nr, action) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1), BPF_STMT(BPF_RET | BPF_K, action)
#define ELSE(action) BPF_STMT(BPF_RET | BPF_K, action)
#define LENGTH(f) (sizeof f / sizeof *f)

static long set(struct sock_filter *code, size_t n, unsigned flags, int by_prctl)
{
    struct sock_fprog program = {n, code};
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    return by_prctl ? prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) : syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}

static void errors(int by_prctl)
{
    int ends[2];
    struct sock_filter code[] = {NR, IF_NR(SYS_pipe2, SECCOMP_RET_ERRNO | EACCES), IF_NR(SYS_socketpair, SECCOMP_RET_ERRNO | EDOM),
                                 IF_NR(SYS_umask, SECCOMP_RET_ERRNO | EXDEV), IF_NR(SYS_readlink, SECCOMP_RET_ERRNO), ELSE(SECCOMP_RET_ALLOW)};
    struct sock_filter more[] = {NR, IF_NR(SYS_openat, SECCOMP_RET_ERRNO | EPERM), IF_NR(SYS_pipe2, SECCOMP_RET_ERRNO | ENOTUNIQ), ELSE(SECCOMP_RET_ALLOW)};
    struct sock_filter bad[] = {NR};
    struct seccomp_notif_sizes sizes = {0};
    CHECK(prctl(PR_GET_SECCOMP) == 0 && prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0);
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 2, 0, 0, 0) < 0 && errno == EINVAL);
    CHECK(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 1 << 20, &sizes) < 0 && errno == EINVAL);
    CHECK(syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) == 0);
    printf("sizes %d %d %d\n", sizes.seccomp_notif, sizes.seccomp_notif_resp, sizes.seccomp_data);
    CHECK(set(bad, 1, 0, by_prctl) < 0 && errno == EINVAL);
    CHECK(set(code, LENGTH(code), 0, by_prctl) == 0 && prctl(PR_GET_SECCOMP) == 2 && prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1);
    CHECK(pipe2(ends, 0) < 0 && errno == EACCES);
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0 && errno == EDOM);
    CHECK(syscall(SYS_umask, 022) < 0 && errno == EXDEV);
    CHECK(syscall(SYS_readlink, "link", ends, sizeof ends) == 0);
    show_file("in.txt");
    CHECK(set(more, LENGTH(more), 0, by_prctl) == 0);
    show_file("in.txt");
    CHECK(open("made.txt", O_WRONLY | O_CREAT, 0644) < 0 && errno == EPERM);
    CHECK(pipe2(ends, 0) < 0 && errno == ENOTUNIQ);
    exit(3);
}

static void on_trap(int sig, siginfo_t *info, void *context)
{
    (void)sig;
    ucontext_t *c = context;
    CHECK(info->si_syscall == SYS_openat && info->si_errno == 7 && c->uc_mcontext.gregs[REG_RAX] == SYS_openat);
    CHECK((char *)info->si_call_addr == (char *)c->uc_mcontext.gregs[REG_RIP]);
    c->uc_mcontext.gregs[REG_RAX] = 1234;
}

static void traps(int blocked)
{
    struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
    struct sock_filter code[] = {NR, IF_NR(SYS_openat, SECCOMP_RET_TRAP | 7), ELSE(SECCOMP_RET_ALLOW)};
    sigset_t set_of;
    CHECK(sigaction(SIGSYS, &action, NULL) == 0 && set(code, LENGTH(code), 0, 0) == 0);
    for (int i = 0; i < 3; i++) {
        CHECK(syscall(SYS_openat, AT_FDCWD, "in.txt", O_RDONLY) == 1234);
        printf("trapped at %ld\n", (long)time(NULL));
    }
    sigemptyset(&set_of);
    sigaddset(&set_of, SIGSYS);
    if (blocked)
        sigprocmask(SIG_BLOCK, &set_of, NULL);
    syscall(SYS_openat, AT_FDCWD, "in.txt", O_RDONLY);
    exit(4);
}

static void kills(int unused)
{
    (void)unused;
    struct sock_filter code[] = {NR, IF_NR(SYS_mkdir, SECCOMP_RET_KILL_PROCESS), ELSE(SECCOMP_RET_ALLOW)};
    CHECK(set(code, LENGTH(code), 0, 0) == 0);
    mkdir("made", 0755);
    exit(5);
}

static void list_only(int by_prctl)
{
    static char line[8192];
    struct sock_filter code[] = {NR, IF_NR(SYS_read, SECCOMP_RET_ALLOW), IF_NR(SYS_write, SECCOMP_RET_ALLOW), IF_NR(SYS_exit_group, SECCOMP_RET_ALLOW),
                                 IF_NR(SYS_clock_gettime, SECCOMP_RET_ALLOW), IF_NR(SYS_openat, SECCOMP_RET_ALLOW), ELSE(SECCOMP_RET_KILL_PROCESS)};
    struct timespec now;
    size_t n = 0;
    for (int i = 0; i < 30; i++)
        clock_gettime(CLOCK_REALTIME, &now);
    CHECK(set(code, LENGTH(code), 0, by_prctl) == 0);
    for (int i = 0; i < 100; i++) {
        clock_gettime(CLOCK_REALTIME, &now);
        n += (size_t)sprintf(line + n, "%ld ", now.tv_nsec);
    }
    int fd = openat(AT_FDCWD, "in.txt", O_RDONLY), out = openat(AT_FDCWD, "made.txt", O_WRONLY | O_CREAT, 0644);
    n += (size_t)read(fd, line + n, 100);
    write(out, line, n);
    write(1, line, n);
    syscall(SYS_exit_group, 6);
}

static void strict(int then)
{
    CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0);
    write(1, "strict\n", 7);
    if (then)
        syscall(SYS_getpid);
    syscall(SYS_exit, 7);
}

static void *opens(void *unused)
{
    (void)unused;
    nap_ms(20);
    return (void *)(long)(open("in.txt", O_RDONLY) < 0 ? errno : 0);
}

static void all_threads(int flags)
{
    struct sock_filter code[] = {NR, IF_NR(SYS_openat, SECCOMP_RET_ERRNO | EPERM), ELSE(SECCOMP_RET_ALLOW)};
    pthread_t thread;
    void *error;
    CHECK(pthread_create(&thread, NULL, opens, NULL) == 0);
    CHECK(set(code, LENGTH(code), (unsigned)flags, 0) == 0);
    CHECK(pthread_join(thread, &error) == 0);
    exit((int)(long)error);
}

static void try(const char *name, void (*what)(int), int how)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        what(how);
    printf("%s %d: status %#x\n", name, how, wait_for(child) & ~0x80);
}

int main(void)
{
    for (int how = 0; how < 2; how++) {
        try("errors", errors, how);
        try("traps", traps, how);
        try("kills", kills, how);
        try("list", list_only, how);
        try("strict", strict, how);
        try("threads", all_threads, how);
    }
    struct stat st;
    CHECK(stat("made", &st) < 0);
    return guest_done();
}

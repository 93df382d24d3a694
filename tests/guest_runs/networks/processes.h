/* What a node asks of signals, timers, children, and of what carries bytes between them. */
#ifndef PROCESSES_H
#define PROCESSES_H
#include "questions.h"

#include <spawn.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <sys/xattr.h>

extern char **environ;

/* A timer of this thread alone. */
static timer_t timer_of(int sig, long ns)
{
    struct sigevent to = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = sig};
    struct itimerspec when = {.it_value.tv_nsec = ns};
    timer_t made;
    to._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    CHECK(timer_create(CLOCK_MONOTONIC, &to, &made) == 0 && timer_settime(made, 0, &when, NULL) == 0);
    return made;
}

static sigset_t only(int sig)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, sig);
    return set;
}

static uint64_t awaited_signal(struct asked *a)
{
    sigset_t set = only(SIGRTMIN), before;
    siginfo_t told;
    pthread_sigmask(SIG_BLOCK, &set, &before);
    timer_t made = timer_of(SIGRTMIN, 1 + (long)(a->seed % 2000000));
    CHECK(sigwaitinfo(&set, &told) == SIGRTMIN);
    timer_delete(made);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return (uint64_t)told.si_overrun;
}

static void interrupts(int sig)
{
    (void)sig;
}

static uint64_t interrupted_sleep(struct asked *a)
{
    struct sigaction act = {.sa_handler = interrupts};
    struct timespec rest = {0}, asked = {0, 100000000};
    sigaction(SIGRTMIN + 1, &act, NULL);
    timer_t made = timer_of(SIGRTMIN + 1, 1 + (long)(a->seed % 2000000));
    int result = clock_nanosleep(CLOCK_MONOTONIC, 0, &asked, &rest);
    timer_delete(made);
    return mixed((uint64_t)result, result == EINTR ? (uint64_t)rest.tv_nsec : 0);
}

static uint64_t interrupted_read(struct asked *a)
{
    struct sigaction act = {.sa_handler = interrupts};
    int ends[2];
    char byte;
    sigaction(SIGRTMIN + 1, &act, NULL);
    CHECK(pipe2(ends, O_CLOEXEC) == 0);
    timer_t made = timer_of(SIGRTMIN + 1, 20000000 + (long)(a->seed % 2000000));
    CHECK(read(ends[0], &byte, 1) < 0 && errno == EINTR);
    timer_delete(made);
    close(ends[0]);
    close(ends[1]);
    return 7;
}

static uint64_t signal_file(struct asked *a)
{
    sigset_t set = only(SIGRTMIN + 2), before;
    struct signalfd_siginfo told;
    pthread_sigmask(SIG_BLOCK, &set, &before);
    int fd = signalfd(-1, &set, SFD_CLOEXEC);
    CHECK(fd >= 0 && pthread_kill(pthread_self(), SIGRTMIN + 2) == 0 && read(fd, &told, sizeof told) == sizeof told);
    close(fd);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return mixed(a->seed, told.ssi_pid);
}

static uint64_t child_file(struct asked *a)
{
    pid_t pid = fork();
    siginfo_t told = {0};
    CHECK(pid >= 0);
    if (!pid) {
        usleep((useconds_t)(a->seed % 1000));
        _exit((int)(a->seed & 31));
    }
    struct pollfd asked = {(int)syscall(SYS_pidfd_open, pid, 0), POLLIN, 0};
    CHECK(asked.fd >= 0);
    while (poll(&asked, 1, 10) <= 0) {
    }
    CHECK(waitid(P_PID, (id_t)pid, &told, WEXITED) == 0);
    close(asked.fd);
    return mixed((uint64_t)told.si_status, (uint64_t)told.si_pid);
}

static uint64_t killed_child(struct asked *a)
{
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (!pid)
        for (;;)
            pause();
    usleep((useconds_t)(a->seed % 500));
    CHECK(kill(pid, a->seed & 1 ? SIGTERM : SIGKILL) == 0);
    return (uint64_t)wait_for(pid);
}

static uint64_t watched_child(struct asked *a)
{
    int status;
    pid_t pid = fork(), ended;
    CHECK(pid >= 0);
    if (!pid) {
        usleep((useconds_t)(a->seed % 3000));
        _exit(9);
    }
    while (!(ended = waitpid(pid, &status, WNOHANG)))
        usleep(400);
    CHECK(ended == pid);
    return (uint64_t)status;
}

/* A filter with a pipe each way. */
static uint64_t filter(struct asked *a)
{
    char *args[] = {a->seed & 1 ? "cat" : "sort", NULL}, text[256];
    int in[2], out[2];
    uint64_t sum = 0;
    pid_t pid;
    posix_spawn_file_actions_t acts;
    CHECK(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0 && posix_spawn_file_actions_init(&acts) == 0);
    posix_spawn_file_actions_adddup2(&acts, in[0], 0);
    posix_spawn_file_actions_adddup2(&acts, out[1], 1);
    CHECK(posix_spawnp(&pid, args[0], &acts, NULL, args, environ) == 0);
    posix_spawn_file_actions_destroy(&acts);
    close(in[0]);
    close(out[1]);
    CHECK(dprintf(in[1], "%d\n%d\n%d\n", pid, a->round, a->node) > 0);
    close(in[1]);
    for (ssize_t n; (n = read(out[0], text, sizeof text)) > 0;)
        sum = mixed_bytes(sum, text, (size_t)n);
    close(out[0]);
    return mixed(sum, (uint64_t)wait_for(pid));
}

static uint64_t timed_condition(struct asked *a)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t never = PTHREAD_COND_INITIALIZER;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)(a->seed % 2000000);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&lock);
    int result = pthread_cond_timedwait(&never, &lock, &until);
    pthread_mutex_unlock(&lock);
    return (uint64_t)result;
}

static uint64_t watched_file(struct asked *a)
{
    char name[64], told[512];
    snprintf(name, sizeof name, "watched%d", a->node);
    mkdir(name, 0755);
    int fd = inotify_init1(IN_CLOEXEC);
    CHECK(fd >= 0 && inotify_add_watch(fd, name, IN_CREATE) >= 0);
    snprintf(name, sizeof name, "watched%d/%d-%d", a->node, a->round, (int)(a->seed & 255));
    put_file(name, "x");
    ssize_t n = read(fd, told, sizeof told);
    CHECK(n > 0);
    close(fd);
    return mixed_bytes(0, told, (size_t)n);
}

static uint64_t memory_file(struct asked *a)
{
    int fd = memfd_create("numbers", MFD_CLOEXEC);
    CHECK(fd >= 0 && write(fd, &a->seed, 8) == 8);
    uint64_t *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), there;
    CHECK(page != MAP_FAILED && *page == a->seed);
    *page += 1;
    CHECK(pread(fd, &there, 8, 0) == 8 && munmap(page, 4096) == 0 && close(fd) == 0);
    return there;
}

static uint64_t mapped_file(struct asked *a)
{
    char name[64];
    uint64_t there;
    snprintf(name, sizeof name, "mapped%d", a->node);
    int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    CHECK(fd >= 0 && ftruncate(fd, 4096) == 0);
    uint64_t *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(page != MAP_FAILED);
    *page = mixed(*page, a->seed);
    CHECK(msync(page, 4096, MS_SYNC) == 0 && pread(fd, &there, 8, 0) == 8 && munmap(page, 4096) == 0 && close(fd) == 0);
    return there;
}

static uint64_t moved_file(struct asked *a)
{
    char name[64], other[64], link_name[64], to[64] = "";
    struct stat st;
    struct timespec times[2] = {{.tv_sec = 1000000, .tv_nsec = a->node}, {.tv_sec = 2000000, .tv_nsec = a->round}};
    snprintf(name, sizeof name, "moved%d", a->node);
    snprintf(other, sizeof other, "moved%d-%d", a->node, a->round);
    snprintf(link_name, sizeof link_name, "link%d-%d", a->node, a->round);
    put_file(name, "moved");
    CHECK(rename(name, other) == 0 && access(name, F_OK) < 0);
    unlink(link_name);
    CHECK((a->seed & 1 ? symlink(other, link_name) : link(other, link_name)) == 0);
    ssize_t n = readlink(link_name, to, sizeof to - 1);
    CHECK(chmod(other, 0600) == 0 && utimensat(AT_FDCWD, other, times, 0) == 0 && stat(link_name, &st) == 0);
    return mixed(mixed((uint64_t)n, st.st_mode + st.st_nlink), (uint64_t)st.st_mtim.tv_nsec);
}

static uint64_t refused(struct asked *a)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(1), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(fd >= 0 && connect(fd, (struct sockaddr *)&at, sizeof at) < 0);
    uint64_t error = (uint64_t)errno;
    close(fd);
    return error + (a->seed & 1);
}

static uint64_t machine(struct asked *a)
{
    struct utsname name;
    struct sysinfo info;
    CHECK(uname(&name) == 0 && sysinfo(&info) == 0);
    return a->seed & 1 ? mixed_bytes(0, name.nodename, strlen(name.nodename)) : (uint64_t)info.freeram;
}

static uint64_t copied_file(struct asked *a)
{
    int ends[2], fd = open("in.txt", O_RDONLY | O_CLOEXEC);
    char text[64];
    if (fd < 0)
        return 1;
    CHECK(pipe2(ends, O_CLOEXEC) == 0);
    ssize_t n = a->seed & 1 ? sendfile(ends[1], fd, NULL, 64) : splice(fd, NULL, ends[1], NULL, 64, 0);
    CHECK(n > 0 && read(ends[0], text, sizeof text) == n);
    close(fd);
    close(ends[0]);
    close(ends[1]);
    return mixed_bytes(0, text, (size_t)n);
}

/* A conversation with oneself, which ends. */
static uint64_t own_connection(struct asked *a)
{
    int ends[2];
    uint64_t there;
    struct sockaddr_in at;
    socklen_t size = sizeof at;
    connect_tcp(ends);
    CHECK(getpeername(ends[0], (struct sockaddr *)&at, &size) == 0);
    CHECK(send(ends[1], &a->seed, 8, MSG_NOSIGNAL) == 8 && shutdown(ends[1], SHUT_WR) == 0);
    CHECK(recv(ends[0], &there, 8, MSG_WAITALL) == 8 && recv(ends[0], &there, 1, 0) == 0);
    close(ends[0]);
    close(ends[1]);
    return mixed(there, at.sin_port);
}

static uint64_t (*const QUESTIONS[])(struct asked *) = {
    wall_clock, day_time, random_number, random_file, identity, short_sleep, computation, scratch_file, kept_file, listing, child, command,
    short_thread, own_signal, timer, own_pipe, own_event, counter, usage, waits_in_vain, datagram, system_file, locked_file, input_file,
    awaited_signal, interrupted_sleep, interrupted_read, signal_file, child_file, killed_child, watched_child, filter, timed_condition,
    watched_file, memory_file, mapped_file, moved_file, refused, machine, copied_file, own_connection,
};

#endif

/* What /proc says of a tracee: its descriptors, signals and mappings. */
#include "base/base.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <dirent.h>

#include <sys/syscall.h>

#include <fcntl.h>
#include <stdarg.h>

/* The numbers in the first line of /proc/TID/FILE that the format fits; without one what is pointed to stays as it is. */
void proc_value(pid_t tid, const char *file, const char *format, ...)
{
    char name[64], line[256];
    bool found = false;
    snprintf(name, sizeof name, "/proc/%d/%s", tid, file);
    FILE *f = fopen(name, "re");
    while (f && !found && fgets(line, sizeof line, f)) {
        va_list list;
        va_start(list, format);
        found = vsscanf(line, format, list) > 0;
        va_end(list);
    }
    if (f)
        fclose(f);
}

/* One number of what /proc shows of a descriptor; unchanged if that cannot be read. */
static void fd_value(pid_t tid, int fd, const char *format, void *value)
{
    char file[24];
    snprintf(file, sizeof file, "fdinfo/%d", fd);
    proc_value(tid, file, format, value);
}

unsigned flags_of_fd(pid_t tid, int fd, unsigned unknown)
{
    unsigned flags = unknown;
    fd_value(tid, fd, "flags: %o", &flags);
    return flags;
}

uint64_t position_of_fd(pid_t tid, int fd, uint64_t unknown)
{
    ull position = unknown;
    fd_value(tid, fd, "pos: %llu", &position);
    return position;
}

int process_of_fd(pid_t tid, int fd)
{
    int process = 0;
    fd_value(tid, fd, "Pid: %d", &process);
    return process;
}

bool is_caught(pid_t tid, int sig)
{
    ull caught = 0;
    proc_value(tid, "status", "SigCgt: %llx", &caught);
    return caught >> (sig - 1) & 1;
}

/* The kernel gives a page at a time, a stream would read a quarter of it. */
FILE *mappings_open(pid_t tid)
{
    static char buffer[4096], name[32];
    snprintf(name, sizeof name, "/proc/%d/maps", tid);
    FILE *f = fopen(name, "re");
    if (f)
        setvbuf(f, buffer, _IOFBF, sizeof buffer);
    return f;
}

/* Processes may have a thousand: sscanf() takes five times as long. */
bool mappings_next(FILE *f, struct mapping *m)
{
    static char line[PATH_MAX + 128];
    char *at;
    if (!f || !fgets(line, sizeof line, f))
        return false;
    *m = (struct mapping){.from = strtoull(line, &at, 16)};
    m->to = strtoull(at + (*at == '-'), &at, 16);
    if (strlen(at) < 6)
        return true;
    memcpy(m->rights, at + 1, sizeof m->rights);
    m->offset = strtoull(at + 6, &at, 16);
    at += strspn(at, " ");
    at += strcspn(at, " ");               /* the device */
    m->inode = strtoull(at, NULL, 10);
    return true;
}

char *link_of_fd(pid_t tid, int fd)
{
    char name[40], target[PATH_MAX];
    if (fd == AT_FDCWD)
        snprintf(name, sizeof name, "/proc/%d/cwd", tid);
    else
        snprintf(name, sizeof name, "/proc/%d/fd/%d", tid, fd);
    ssize_t n = readlink(name, target, sizeof target - 1);
    return n < 0 ? NULL : strndup(target, (size_t)n);
}

bool stat_of_fd(pid_t tid, int fd, struct stat *st)
{
    char name[40];
    snprintf(name, sizeof name, "/proc/%d/fd/%d", tid, fd);
    return !stat(name, st);
}

DIR *fds_of(pid_t tid)
{
    char name[40];
    snprintf(name, sizeof name, "/proc/%d/fd", tid);
    return opendir(name);
}

int next_fd(DIR *fds)
{
    struct dirent *e = NULL;
    while (fds && (e = readdir(fds)) && *e->d_name == '.')
        ;
    int fd = e ? atoi(e->d_name) : -1;
    if (fds && !e)
        closedir(fds);
    return fd;
}

/* The tracee's open file, held by the engine for a short time: a process that waits for its end must not wait for the engine. */
int borrow(struct task *t, int fd)
{
    int process = (int)syscall(SYS_pidfd_open, t->leader->tid, 0);
    int own = process < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, process, fd, 0);
    if (process >= 0)
        close(process);
    return own;
}

mode_t masked(const struct task *t, uint64_t mode)
{
    unsigned mask = 022;
    proc_value(t->tid, "status", "Umask: %o", &mask);
    return (mode_t)mode & ~(mode_t)mask;
}

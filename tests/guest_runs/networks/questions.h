/* What a node of a network asks the system between two rounds; each gives a number that the node's state takes in.
 * More of them: processes.h. */
#ifndef QUESTIONS_H
#define QUESTIONS_H
#include "guest.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <sys/times.h>

static inline uint64_t mixed(uint64_t a, uint64_t b)
{
    a = (a ^ b) * 0x9e3779b97f4a7c15u;
    return a ^ (a >> 29);
}

static inline uint64_t mixed_bytes(uint64_t a, const void *bytes, size_t size)
{
    const unsigned char *b = bytes;
    for (size_t i = 0; i < size; i++)
        a = mixed(a, b[i]);
    return a;
}

struct asked {
    int node, round;
    uint64_t seed;      /* of this question: whatever it chooses, it chooses by this */
};

static uint64_t wall_clock(struct asked *a)
{
    struct timespec t;
    clock_gettime(a->seed & 1 ? CLOCK_REALTIME : CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t day_time(struct asked *a)
{
    struct timeval t;
    gettimeofday(&t, NULL);
    return (uint64_t)(a->seed & 1 ? time(NULL) : t.tv_usec);
}

static uint64_t random_number(struct asked *a)
{
    uint64_t number = 0;
    CHECK(getrandom(&number, 4 + (a->seed & 4), 0) > 0);
    return number;
}

static uint64_t random_file(struct asked *a)
{
    uint64_t number = 0;
    int fd = open("/dev/urandom", O_RDONLY);
    CHECK(fd >= 0 && read(fd, &number, 1 + (a->seed & 7)) > 0);
    close(fd);
    return number;
}

static uint64_t identity(struct asked *a)
{
    return (uint64_t)(a->seed & 1 ? getpid() : getppid() * 3);
}

static uint64_t short_sleep(struct asked *a)
{
    usleep((useconds_t)(a->seed % 2000));
    return 1;
}

static uint64_t computation(struct asked *a)
{
    uint64_t x = a->seed;
    for (uint64_t i = 0; i < (a->seed & 0xfffff); i++)
        x = mixed(x, i);
    return x;
}

static uint64_t scratch_file(struct asked *a)
{
    char name[64], text[64];
    struct stat s;
    snprintf(name, sizeof name, "scratch%d-XXXXXX", a->node);
    int fd = mkstemp(name);
    CHECK(fd >= 0 && write(fd, name, strlen(name)) > 0 && fstat(fd, &s) == 0);
    CHECK(pread(fd, text, sizeof text, 0) == (ssize_t)strlen(name));
    close(fd);
    CHECK(unlink(name) == 0);
    return mixed(mixed_bytes(0, text, strlen(name)), (uint64_t)s.st_ino ^ (uint64_t)s.st_mtim.tv_nsec);
}

static uint64_t kept_file(struct asked *a)
{
    char name[64];
    struct stat s;
    snprintf(name, sizeof name, "kept%d", a->node);
    int fd = open(name, O_WRONLY | O_CREAT | O_APPEND, 0644);
    CHECK(fd >= 0 && dprintf(fd, "%d %llx\n", a->round, (unsigned long long)wall_clock(a)) > 0);
    CHECK(fstat(fd, &s) == 0 && close(fd) == 0);
    return (uint64_t)s.st_size;
}

static uint64_t listing(struct asked *a)
{
    char name[64];
    uint64_t sum = 0;
    snprintf(name, sizeof name, "own%d", a->node);
    mkdir(name, 0755);
    snprintf(name, sizeof name, "own%d/%d", a->node, a->round);
    put_file(name, "x");
    snprintf(name, sizeof name, "own%d", a->node);
    DIR *d = opendir(name);
    CHECK(d);
    for (struct dirent *e; (e = readdir(d));)
        sum = mixed_bytes(sum, e->d_name, strlen(e->d_name));
    closedir(d);
    return sum;
}

static uint64_t child(struct asked *a)
{
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (!pid) {
        struct timespec t;
        clock_gettime(CLOCK_REALTIME, &t);
        usleep((useconds_t)(a->seed % 500));
        _exit((int)(t.tv_nsec >> 4 & 63));
    }
    return mixed((uint64_t)pid, (uint64_t)wait_for(pid));
}

static uint64_t command(struct asked *a)
{
    char line[128] = "", told[128];
    snprintf(told, sizeof told, "echo %d $$ $(date +%%N)%s", a->node, a->seed & 1 ? " | cat" : "");
    FILE *f = popen(told, "r");
    CHECK(f && fgets(line, sizeof line, f));
    return mixed(mixed_bytes(0, line, strlen(line)), (uint64_t)pclose(f));
}

static void *reads_clock(void *a)
{
    return (void *)(uintptr_t)wall_clock(a);
}

static uint64_t short_thread(struct asked *a)
{
    pthread_t thread;
    void *result;
    CHECK(pthread_create(&thread, NULL, reads_clock, a) == 0 && pthread_join(thread, &result) == 0);
    return (uint64_t)(uintptr_t)result;
}

static _Thread_local uint64_t signals_seen;

static void counts_signal(int sig)
{
    signals_seen += (uint64_t)sig;
}

static uint64_t own_signal(struct asked *a)
{
    signal(SIGUSR1, counts_signal);
    if (a->seed & 1)
        raise(SIGUSR1);
    else
        CHECK(pthread_kill(pthread_self(), SIGUSR1) == 0);
    return signals_seen;
}

static uint64_t timer(struct asked *a)
{
    struct itimerspec when = {.it_value.tv_nsec = 1 + (long)(a->seed % 1000000), .it_interval.tv_nsec = a->seed & 1 ? 200000 : 0};
    uint64_t times = 0;
    int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    CHECK(fd >= 0 && timerfd_settime(fd, 0, &when, NULL) == 0);
    CHECK(read(fd, &times, sizeof times) == sizeof times);
    close(fd);
    return times;
}

static uint64_t own_pipe(struct asked *a)
{
    int ends[2];
    uint64_t there;
    CHECK(pipe2(ends, O_CLOEXEC) == 0 && write(ends[1], &a->seed, 8) == 8 && read(ends[0], &there, 8) == 8);
    close(ends[0]);
    close(ends[1]);
    return there;
}

static uint64_t own_event(struct asked *a)
{
    uint64_t value = 1 + a->seed % 100;
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    CHECK(fd >= 0 && write(fd, &value, 8) == 8 && read(fd, &value, 8) == 8);
    CHECK(read(fd, &value, 8) < 0 && errno == EAGAIN);
    close(fd);
    return value;
}

static uint64_t counter(struct asked *a)
{
    return __builtin_ia32_rdtsc() + (a->seed & 1);
}

static uint64_t usage(struct asked *a)
{
    struct rusage u;
    struct tms t;
    unsigned cpu;
    if (a->seed & 1)
        return (uint64_t)times(&t);
    CHECK(getrusage(a->seed & 2 ? RUSAGE_SELF : RUSAGE_THREAD, &u) == 0 && syscall(SYS_getcpu, &cpu, NULL, NULL) == 0);
    return mixed((uint64_t)u.ru_utime.tv_usec, (uint64_t)u.ru_minflt + cpu);
}

static uint64_t waits_in_vain(struct asked *a)
{
    return (uint64_t)poll(NULL, 0, (int)(a->seed % 3)) + 5;
}

static uint64_t datagram(struct asked *a)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    uint64_t there;
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    CHECK(fd >= 0 && bind(fd, (struct sockaddr *)&at, sizeof at) == 0 && getsockname(fd, (struct sockaddr *)&at, &size) == 0);
    CHECK(sendto(fd, &a->seed, 8, 0, (struct sockaddr *)&at, size) == 8 && recv(fd, &there, 8, 0) == 8);
    close(fd);
    return mixed(there, at.sin_port);
}

static uint64_t system_file(struct asked *a)
{
    static const char *const NAMES[] = {"/proc/uptime", "/proc/self/stat", "/proc/loadavg", "/proc/self/statm", "/proc/stat"};
    char text[256];
    int fd = open(NAMES[a->seed % 5], O_RDONLY | O_CLOEXEC);
    CHECK(fd >= 0);
    ssize_t size = read(fd, text, sizeof text);
    CHECK(size > 0);
    close(fd);
    return mixed_bytes(0, text, (size_t)size);
}

static uint64_t locked_file(struct asked *a)
{
    int fd = open("lock", O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    CHECK(fd >= 0 && flock(fd, LOCK_EX) == 0);
    if (a->seed & 1)
        usleep(100);
    CHECK(flock(fd, LOCK_UN) == 0 && close(fd) == 0);
    return 3;
}

static uint64_t input_file(struct asked *a)
{
    char text[64];
    struct stat s;
    const char *name = a->seed & 1 ? "in.txt" : "none.txt";
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return (uint64_t)errno;
    ssize_t size = read(fd, text, sizeof text);
    CHECK(size > 0 && fstat(fd, &s) == 0 && close(fd) == 0);
    return mixed_bytes((uint64_t)s.st_mtim.tv_nsec, text, (size_t)size);
}

#endif

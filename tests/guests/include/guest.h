/* What every guest needs. A guest prints what the system returned; its last line is TOKEN. */
#ifndef GUEST_H
#define GUEST_H
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TOKEN "guest done"

#define CHECK(claim) \
    do { \
        if (!(claim)) { \
            printf("%s:%d: not so: %s (%s)\n", __FILE__, __LINE__, #claim, strerror(errno)); \
            exit(99); \
        } \
    } while (0)

/* Lines leave at once, so that a fork does not copy what is not yet written. */
__attribute__((constructor)) static inline void guest_start(void)
{
    setvbuf(stdout, NULL, _IOLBF, 4096);
}

static inline int guest_done(void)
{
    puts(TOKEN);
    return 0;
}

static inline void *guest_naps(void *over)
{
    struct timespec while_ns = {0, 2000000};
    nanosleep(&while_ns, NULL);
    *(volatile int *)over = 1;
    return NULL;
}

/* A number that is a matter of pace: neither another run nor a replay comes to the same. */
static inline unsigned long guest_pace(void)
{
    pthread_t thread;
    volatile int is_over = 0;
    unsigned long pace = 0;
    CHECK(pthread_create(&thread, NULL, guest_naps, (void *)&is_over) == 0);
    for (; !is_over; sched_yield())
        pace++;
    CHECK(pthread_join(thread, NULL) == 0);
    return pace;
}

static inline void put_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    CHECK(fd >= 0);
    CHECK(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    CHECK(close(fd) == 0);
}

static inline void show_file(const char *path)
{
    char text[4096];
    int fd = open(path, O_RDONLY);
    if (fd < 0) {
        printf("%s: %s\n", path, strerror(errno));
        return;
    }
    ssize_t size = read(fd, text, sizeof text - 1);
    CHECK(size >= 0);
    text[size] = 0;
    printf("%s: %s\n", path, text);
    close(fd);
}

static inline int wait_for(pid_t child)
{
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    return status;
}

/* Threads that do the same, until all have ended. */
static inline void run_threads(int count, void *(*work)(void *))
{
    pthread_t threads[64];
    CHECK(count <= 64);
    for (int i = 0; i < count; i++)
        CHECK(pthread_create(&threads[i], NULL, work, NULL) == 0);
    for (int i = 0; i < count; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
}

/* The next of what threads share out, by a lock for which they race. */
static inline int next_job(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static int next;
    pthread_mutex_lock(&lock);
    int job = next++;
    pthread_mutex_unlock(&lock);
    return job;
}

static inline void nap_ms(int ms)
{
    struct timespec t = {ms / 1000, ms % 1000 * 1000000L};
    while (nanosleep(&t, &t) && errno == EINTR) {
    }
}

/* Both ends of a connection over the network: to read from, to write to. */
static inline void connect_tcp(int ends[2])
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(listener >= 0 && bind(listener, (struct sockaddr *)&at, sizeof at) == 0 && listen(listener, 1) == 0);
    CHECK(getsockname(listener, (struct sockaddr *)&at, &size) == 0);
    ends[1] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(ends[1] >= 0 && connect(ends[1], (struct sockaddr *)&at, sizeof at) == 0);
    CHECK((ends[0] = accept4(listener, NULL, NULL, SOCK_CLOEXEC)) >= 0 && close(listener) == 0);
}

/* Zeroes that children share. */
static inline void *shared_page(void)
{
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(page != MAP_FAILED);
    return page;
}

/* For a signal that does not come: it takes no time when it is replayed. */
static inline void wait_in_vain(long ns)
{
    struct timespec limit = {0, ns};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    CHECK(sigtimedwait(&set, NULL, &limit) < 0 && errno == EAGAIN);
}

#endif

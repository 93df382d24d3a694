/* Threads serve clients as these come. Which thread serves a client, and descriptor numbers, depend on races.
 *
 * run: racing
 * engine: native (threads)
 * shows: accept, bind, connect, fcntl, listen, poll, recvfrom, sendto, socket, unlink
 * source: sockets inside the experiment; descriptor numbers
 */
#include "guest.h"
#include <sys/un.h>

enum { CALLERS = 2, CALLS = 4, THREADS = 3, FILES = 7, SERVED = CALLERS * CALLS };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t change = PTHREAD_COND_INITIALIZER;
static int waiting[SERVED], taken, given;
static pthread_barrier_t begin;

/* What has come, waited for by poll. */
static ssize_t hear(int fd, char *text, size_t size)
{
    struct pollfd p = {fd, POLLIN, 0};
    ssize_t n = recv(fd, text, size - 1, MSG_DONTWAIT);
    if (n < 0 && errno == EAGAIN) {
        CHECK(poll(&p, 1, 20000) == 1);
        n = recv(fd, text, size - 1, MSG_DONTWAIT);
    }
    CHECK(n >= 0);
    text[n] = 0;
    return n;
}

static void say(int fd, const char *text)
{
    CHECK(send(fd, text, strlen(text), MSG_NOSIGNAL) == (ssize_t)strlen(text));
}

static void serve(int fd)
{
    char text[64], answer[80];
    say(fd, "hello");
    while (hear(fd, text, sizeof text) > 0) {
        snprintf(answer, sizeof answer, "%s: yes", text);
        say(fd, answer);
    }
    close(fd);
}

static void *work(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        while (taken == given && given < SERVED)
            pthread_cond_wait(&change, &lock);
        int fd = taken < given ? waiting[taken++] : -1;
        pthread_mutex_unlock(&lock);
        if (fd < 0)
            return unused;
        serve(fd);
    }
}

static void *take_numbers(void *unused)
{
    pthread_barrier_wait(&begin);
    for (int i = 0; i < FILES; i++)
        CHECK(open("/dev/null", O_RDONLY) >= 0);
    return unused;
}

static int listener(const struct sockaddr_un *at)
{
    pthread_t racer;
    CHECK(pthread_barrier_init(&begin, NULL, 2) == 0 && pthread_create(&racer, NULL, take_numbers, NULL) == 0);
    pthread_barrier_wait(&begin);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    CHECK(pthread_join(racer, NULL) == 0);
    CHECK(fd >= 0 && bind(fd, (const struct sockaddr *)at, sizeof *at) == 0 && listen(fd, 8) == 0);
    CHECK(fcntl(fd, F_SETFL, O_NONBLOCK) == 0);
    return fd;
}

static void be_server(const struct sockaddr_un *at, int ready)
{
    pthread_t threads[THREADS];
    struct pollfd p = {listener(at), POLLIN, 0};
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, work, NULL) == 0);
    CHECK(write(ready, "r", 1) == 1);
    while (given < SERVED) {
        CHECK(poll(&p, 1, -1) == 1);
        for (int fd; (fd = accept(p.fd, NULL, NULL)) >= 0; pthread_mutex_unlock(&lock)) {
            pthread_mutex_lock(&lock);
            waiting[given++] = fd;
            pthread_cond_broadcast(&change);
        }
    }
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    printf("served %d\n", given);
}

static void call(const struct sockaddr_un *at, int caller)
{
    char text[64];
    for (int i = 0; i < CALLS; i++) {
        int fd = socket(AF_UNIX, SOCK_STREAM, 0);
        CHECK(fd >= 0 && connect(fd, (const struct sockaddr *)at, sizeof *at) == 0);
        CHECK(hear(fd, text, sizeof text) == 5 && !strcmp(text, "hello"));
        for (int k = 0; k < 2; k++) {
            snprintf(text, sizeof text, "caller %d call %d part %d", caller, i, k);
            say(fd, text);
            CHECK(hear(fd, text, sizeof text) > 0 && strstr(text, ": yes"));
        }
        close(fd);
    }
    exit(0);
}

int main(void)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX, .sun_path = "socket"};
    int ready[2];
    char byte;
    unlink(at.sun_path);
    CHECK(pipe(ready) == 0);
    pid_t server = fork();
    if (server == 0) {
        be_server(&at, ready[1]);
        exit(0);
    }
    CHECK(read(ready[0], &byte, 1) == 1);
    for (int i = 0; i < CALLERS; i++)
        if (fork() == 0)
            call(&at, i);
    for (int i = 0; i <= CALLERS; i++)
        CHECK(wait(NULL) > 0);
    return guest_done();
}

/* A pool whose size depends on timing sends requests to a server in the same process. Extra threads make their own
 * connections.
 *
 * run: racing
 * engine: native (threads)
 * shows: accept, bind, clock_nanosleep, clone3, connect, getsockname, listen, read, sched_yield, socket
 * source: sockets inside the experiment; which thread does a piece of work
 */
#include "guest.h"

#include <arpa/inet.h>

enum { JOBS = 8 };

static volatile int begun;
static unsigned pool;
static int answers[JOBS];
static struct sockaddr_in at = {.sin_family = AF_INET};

static void *begin(void *unused)
{
    struct timespec while_ns = {0, 2000000};
    nanosleep(&while_ns, NULL);
    begun = 1;
    return unused;
}

/* Anything from two to nine. */
static unsigned by_pace(void)
{
    pthread_t thread;
    unsigned pace = 0;
    CHECK(pthread_create(&thread, NULL, begin, NULL) == 0);
    for (; !begun; sched_yield())
        pace++;
    CHECK(pthread_join(thread, NULL) == 0);
    return 2 + pace % 8;
}

static void *serve(void *listener)
{
    for (int i = 0; i < JOBS; i++) {
        unsigned char asked;
        int fd = accept((int)(intptr_t)listener, NULL, NULL);
        CHECK(fd >= 0 && read(fd, &asked, 1) == 1);
        asked += 100;
        CHECK(write(fd, &asked, 1) == 1 && close(fd) == 0);
    }
    return NULL;
}

static void *ask(void *first)
{
    for (unsigned i = (unsigned)(intptr_t)first; i < JOBS; i += pool) {
        unsigned char byte = (unsigned char)i;
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        CHECK(fd >= 0 && connect(fd, (struct sockaddr *)&at, sizeof at) == 0);
        CHECK(write(fd, &byte, 1) == 1 && read(fd, &byte, 1) == 1 && close(fd) == 0);
        answers[i] = byte;
    }
    return NULL;
}

int main(void)
{
    pthread_t server, thread[JOBS + 2];
    socklen_t n = sizeof at;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CHECK(bind(listener, (struct sockaddr *)&at, sizeof at) == 0 && listen(listener, JOBS) == 0);
    CHECK(getsockname(listener, (struct sockaddr *)&at, &n) == 0);
    CHECK(pthread_create(&server, NULL, serve, (void *)(intptr_t)listener) == 0);
    pool = by_pace();
    for (unsigned i = 0; i < pool; i++)
        CHECK(pthread_create(&thread[i], NULL, ask, (void *)(intptr_t)i) == 0);
    for (unsigned i = 0; i < pool; i++)
        CHECK(pthread_join(thread[i], NULL) == 0);
    CHECK(pthread_join(server, NULL) == 0);
    for (int i = 0; i < JOBS; i++)
        printf("%d: %d\n", i, answers[i]);
    return guest_done();
}

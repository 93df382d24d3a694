/* The server outside that a guest may call (tests/guest_runs/outside.py). */
#ifndef OUTSIDE_H
#define OUTSIDE_H
#include "guest.h"

#include <arpa/inet.h>

/* A connection, on which the server has said hello. */
static inline FILE *called(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(getenv("GUEST_PORT"))),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    char hello[64];
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(connect(fd, (struct sockaddr *)&at, sizeof at) == 0);
    FILE *f = fdopen(fd, "r+");
    CHECK(f && fgets(hello, sizeof hello, f) && !strncmp(hello, "hello", 5));
    return f;
}

/* A hundred answers, which take long as they are recorded, and no time in a replay. */
static inline void hear_long(FILE *f)
{
    char line[64];
    for (int i = 0; i < 100; i++)
        CHECK(fputs("something\n", f) >= 0 && fflush(f) == 0 && fgets(line, sizeof line, f));
}

/* A pool's thread does the job when recorded, as the first thread hears from outside too late; in a replay it hears at once,
 * and does the job itself. */
struct pool { void (*job)(void); int is_taken; };

static inline void do_job_of(struct pool *pool)
{
    if (!__atomic_exchange_n(&pool->is_taken, 1, __ATOMIC_SEQ_CST))
        pool->job();
}

static inline void *wait_and_work(void *pool)
{
    usleep(30000);
    do_job_of(pool);
    return NULL;
}

static inline void hear_and_work(void (*job)(void))
{
    struct pool pool = {job, 0};
    pthread_t thread;
    FILE *f = called();
    CHECK(pthread_create(&thread, NULL, wait_and_work, &pool) == 0);
    hear_long(f);
    do_job_of(&pool);
    CHECK(pthread_join(thread, NULL) == 0);
}

static volatile int has_computed;

static inline void *compute(void *unused)
{
    for (volatile long i = 0; i < 200000000; i++) {
    }
    has_computed = 1;
    return unused;
}

/* Does a job over and over while a thread computes.  Before that it hears from outside, which takes no time in a replay: so it
 * does the job more often there. */
static inline void do_more_often(void (*job)(void))
{
    pthread_t thread;
    FILE *f = called();
    CHECK(pthread_create(&thread, NULL, compute, NULL) == 0);
    hear_long(f);
    do {
        job();
        usleep(5000);
    } while (!has_computed);
    CHECK(pthread_join(thread, NULL) == 0);
}

#endif

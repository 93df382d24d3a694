/* Threads sleep and wait with timeouts, in turn. A replay waits for none of them, and keeps their order.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_gettime, clock_nanosleep, clone3, futex, pipe2, poll
 * source: sleeps and timeouts; which thread does a piece of work
 */
#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ended, came;
static int is_over, parts, sum;

static void wait_until(pthread_cond_t *what, int ms)
{
    struct timespec until;
    CHECK(clock_gettime(CLOCK_MONOTONIC, &until) == 0);
    long ns = until.tv_nsec + ms * 1000000L;
    until.tv_sec += ns / 1000000000;
    until.tv_nsec = ns % 1000000000;
    int result = pthread_cond_timedwait(what, &lock, &until);
    CHECK(result == 0 || result == ETIMEDOUT);
}

static void *tick(void *unused)
{
    CHECK(pthread_mutex_lock(&lock) == 0);
    for (int n = 1; !is_over; n++) {
        wait_until(&ended, 250);
        printf("%s %d\n", is_over ? "over" : "tick", n);
    }
    CHECK(pthread_mutex_unlock(&lock) == 0);
    return unused;
}

static void *nap(void *unused)
{
    for (int i = 1; i <= 3; i++) {
        struct timespec length = {0, 400000000};
        CHECK(nanosleep(&length, NULL) == 0);
        printf("nap %d\n", i);
    }
    return unused;
}

static void *look(void *fd)
{
    for (int i = 1; i <= 3; i++) {
        struct pollfd one = {*(int *)fd, POLLIN, 0};
        CHECK(poll(&one, 1, 320) == 0);
        printf("nothing %d\n", i);
    }
    return NULL;
}

static void *work(void *unused)
{
    CHECK(pthread_mutex_lock(&lock) == 0);
    for (int left = 40; left; parts = 0) {
        if (!parts)
            wait_until(&came, 50);
        left -= parts;
        sum += parts;
    }
    CHECK(pthread_mutex_unlock(&lock) == 0);
    return unused;
}

int main(void)
{
    enum { THREADS = 4 };
    int ends[2];
    pthread_t threads[THREADS];
    void *(*const what[THREADS])(void *) = {work, tick, nap, look};
    pthread_condattr_t steady;
    CHECK(pthread_condattr_init(&steady) == 0 && pthread_condattr_setclock(&steady, CLOCK_MONOTONIC) == 0);
    CHECK(pthread_cond_init(&ended, &steady) == 0 && pthread_cond_init(&came, &steady) == 0);
    CHECK(pipe(ends) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, what[i], &ends[0]) == 0);
    for (int i = 0; i < 40; i++) {
        CHECK(pthread_mutex_lock(&lock) == 0);
        parts++;
        CHECK(pthread_cond_signal(&came) == 0 && pthread_mutex_unlock(&lock) == 0);
    }
    CHECK(pthread_join(threads[0], NULL) == 0);
    struct timespec length = {1, 100000000};
    CHECK(nanosleep(&length, NULL) == 0 && pthread_mutex_lock(&lock) == 0);
    printf("sum %d\n", sum);
    is_over = 1;
    CHECK(pthread_cond_signal(&ended) == 0 && pthread_mutex_unlock(&lock) == 0);
    for (int i = 1; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    return guest_done();
}

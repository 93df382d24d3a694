/* Threads print how long their own work took. Reads for lock timeouts are told apart by call-stack hash.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_gettime, clock_nanosleep, clone3, futex
 * source: clocks, also by the vDSO
 */
#include "guest.h"

enum { THREADS = 3, JOBS = 12, PATIENCE_NS = 2000000 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t is_free;
static int taken;
static int64_t took[THREADS][JOBS];
static __attribute__((noinline)) int64_t now(void)
{
    struct timespec t;
    CHECK(clock_gettime(CLOCK_MONOTONIC, &t) == 0);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}
static __attribute__((noinline)) void take(void)
{
    CHECK(pthread_mutex_lock(&mutex) == 0);
    while (taken) {
        int64_t limit = now() + PATIENCE_NS;
        struct timespec until = {limit / 1000000000, limit % 1000000000};
        pthread_cond_timedwait(&is_free, &mutex, &until);
    }
    taken = 1;
    CHECK(pthread_mutex_unlock(&mutex) == 0);
}
static __attribute__((noinline)) void give(void)
{
    CHECK(pthread_mutex_lock(&mutex) == 0);
    taken = 0;
    CHECK(pthread_cond_signal(&is_free) == 0 && pthread_mutex_unlock(&mutex) == 0);
}
static __attribute__((noinline)) void begin(int64_t *t)
{
    *t = now();
}
static __attribute__((noinline)) void end(int64_t *t)
{
    *t = now() - *t;
}
static void compute(int rounds)
{
    for (volatile int i = 0; i < rounds; i++)
        ;
}
static void *work(void *arg)
{
    int me = (int)(intptr_t)arg;
    take();
    for (int i = 0; i < JOBS; i++) {
        begin(&took[me][i]);
        compute(200000 * (1 + (i + me) % 3));
        give();
        compute(100000 * (1 + i % 4));
        if (i % 3 == 0)
            nap_ms(1);
        take();
        end(&took[me][i]);
    }
    give();
    return NULL;
}
int main(void)
{
    pthread_t thread[THREADS];
    pthread_condattr_t monotonic;
    CHECK(pthread_condattr_init(&monotonic) == 0 && pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC) == 0);
    CHECK(pthread_cond_init(&is_free, &monotonic) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&thread[i], NULL, work, (void *)(intptr_t)i) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(thread[i], NULL) == 0);
    for (int i = 0; i < THREADS * JOBS; i++)
        printf("thread %d, job %d took %lld ns\n", i / JOBS, i % JOBS, (long long)took[i / JOBS][i % JOBS]);
    return guest_done();
}

/* Threads contend for priority-inheriting locks, with a condition, timeouts and tries.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_gettime, clock_nanosleep, clone3, pipe2, read, sched_yield
 * source: locks; which thread does a piece of work
 */
#include "guest.h"

enum { THREADS = 4, ROUNDS = 300 };
static pthread_mutex_t lock, twice;
static pthread_cond_t turn = PTHREAD_COND_INITIALIZER;
static int count, next_thread, held, order[THREADS];
static void make(pthread_mutex_t *m, int kind)
{
    pthread_mutexattr_t a;
    CHECK(pthread_mutexattr_init(&a) == 0 && pthread_mutexattr_settype(&a, kind) == 0);
    CHECK(pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT) == 0 && pthread_mutex_init(m, &a) == 0);
}
static void *add(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        CHECK(pthread_mutex_lock(&lock) == 0);
        int before = count;
        for (volatile int k = 0; k < 100 * (i % 5); k++) {
        }
        if (i % 50 == 0)
            sched_yield();
        count = before + 1;
        CHECK(pthread_mutex_unlock(&lock) == 0);
        CHECK(pthread_mutex_lock(&twice) == 0 && pthread_mutex_lock(&twice) == 0);
        held++;
        CHECK(pthread_mutex_unlock(&twice) == 0 && pthread_mutex_unlock(&twice) == 0);
    }
    return arg;
}
/* One after another, as the condition says. */
static void *in_turn(void *arg)
{
    int me = next_job();
    for (int i = 0; i < ROUNDS / 10; i++) {
        CHECK(pthread_mutex_lock(&lock) == 0);
        while (next_thread != me)
            CHECK(pthread_cond_wait(&turn, &lock) == 0);
        order[me] = order[me] * 31 + count++;
        next_thread = (me + 1) % THREADS;
        CHECK(pthread_cond_broadcast(&turn) == 0 && pthread_mutex_unlock(&lock) == 0);
    }
    return arg;
}
static void *try(void *arg)
{
    struct timespec end;
    CHECK(clock_gettime(CLOCK_REALTIME, &end) == 0);
    end.tv_nsec += 20000000;
    end.tv_sec += end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    printf("held: %s", strerror(pthread_mutex_trylock(&lock)));
    printf(", %s", strerror(pthread_mutex_timedlock(&lock, &end)));
    printf(", %s\n", strerror(pthread_mutex_unlock(&twice)));
    end.tv_sec += 1000;
    CHECK(write(*(int *)arg, "", 1) == 1);
    CHECK(pthread_mutex_timedlock(&lock, &end) == 0 && pthread_mutex_unlock(&lock) == 0);
    return arg;
}
int main(void)
{
    make(&lock, PTHREAD_MUTEX_NORMAL);
    make(&twice, PTHREAD_MUTEX_RECURSIVE);
    run_threads(THREADS, add);
    printf("%d %d\n", count, held);
    run_threads(THREADS, in_turn);
    for (int i = 0; i < THREADS; i++)
        printf("%d\n", order[i]);
    pthread_t other;
    int pair[2];
    char c;
    CHECK(pipe(pair) == 0 && pthread_mutex_lock(&lock) == 0 && pthread_mutex_lock(&twice) == 0);
    CHECK(pthread_create(&other, NULL, try, &pair[1]) == 0 && read(pair[0], &c, 1) == 1);
    nap_ms(5);                            /* by now it waits */
    CHECK(pthread_mutex_unlock(&lock) == 0 && pthread_join(other, NULL) == 0);
    return guest_done();
}

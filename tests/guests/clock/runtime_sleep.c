/* A runtime sleeps until a time and checks the clock again. A replay sleeps more often, and each sleep must end.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_gettime, clone3, futex, getrandom
 * source: clocks, also by the vDSO; sleeps and timeouts
 */
#include "guest.h"
#include "draws.h"

enum { DRAWS = 60000, NAP_MS = 400, MS = 1000000, NS = 1000000000 };
static volatile int done;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never;

static __attribute__((noinline)) int64_t now(void)
{
    struct timespec t;
    CHECK(!clock_gettime(CLOCK_MONOTONIC, &t));
    return t.tv_sec * (int64_t)NS + t.tv_nsec;
}

static __attribute__((noinline)) void sleep_for(int64_t ns)
{
    struct timespec until;
    CHECK(!clock_gettime(CLOCK_MONOTONIC, &until));
    ns += until.tv_nsec;
    until.tv_sec += ns / NS;
    until.tv_nsec = ns % NS;
    pthread_mutex_lock(&lock);
    CHECK(pthread_cond_timedwait(&never, &lock, &until) == ETIMEDOUT);
    pthread_mutex_unlock(&lock);
}

static void nap(void)
{
    int64_t left = NAP_MS * MS, before = now();
    while (left > 0) {
        sleep_for(left);
        int64_t then = now();
        left -= then - before;
        before = then;
    }
}

static void *draw(void *sum)
{
    *(unsigned char *)sum = draw_often(DRAWS);
    done = 1;
    return NULL;
}

/* Not by a jump: who asks is another than in a nap. */
static __attribute__((noinline)) int64_t ended_at(void)
{
    int64_t at = now();
    __asm__ volatile("" : : : "memory");
    return at;
}

int main(void)
{
    pthread_t thread;
    pthread_condattr_t by;
    unsigned char sum = 0;
    CHECK(!pthread_condattr_init(&by) && !pthread_condattr_setclock(&by, CLOCK_MONOTONIC) && !pthread_cond_init(&never, &by));
    CHECK(!pthread_create(&thread, NULL, draw, &sum));
    do {
        nap();
    } while (!done);
    CHECK(!pthread_join(thread, NULL));
    printf("drawn %d, at %lld\n", sum, (long long)ended_at());
    return guest_done();
}

/* A worker finds work when recorded, but none in a replay, and waits half a minute. Nothing else can run, so the
 * wait ends at once.
 *
 * run: racing
 * engine: native (threads)
 * shows: clone3, futex, getrandom, gettimeofday
 * source: sleeps and timeouts
 */
#include "guest.h"
#include "draws.h"
#include <sys/time.h>

enum { DRAWS = 40000, SPINS = 120000000, IDLE_S = 30 };
static volatile int has_work;
static volatile unsigned spun;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static struct timeval asked(void)
{
    struct timeval now;
    CHECK(!gettimeofday(&now, NULL));
    return now;
}

static void idle(void)
{
    struct timeval now = asked();
    struct timespec until = {now.tv_sec + IDLE_S, now.tv_usec * 1000};
    pthread_mutex_lock(&lock);
    CHECK(pthread_cond_timedwait(&never, &lock, &until) == ETIMEDOUT);
    pthread_mutex_unlock(&lock);
}

static void *work(void *unused)
{
    CHECK(asked().tv_sec > 0);
    for (int i = 0; i < SPINS; i++)
        spun++;
    while (!has_work)
        idle();
    return unused;
}

int main(void)
{
    pthread_t thread;
    CHECK(!pthread_create(&thread, NULL, work, NULL));
    unsigned char all = draw_often(DRAWS);
    has_work = 1;
    CHECK(!pthread_join(thread, NULL));
    printf("drawn %d\n", all);
    return guest_done();
}

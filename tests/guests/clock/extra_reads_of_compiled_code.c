/* Compiled-at-run-time code reads the clock when another thread is done sooner than recorded. Other reads by such
 * code must not get its value.
 *
 * run: racing
 * engine: native (threads)
 * shows: clone3, mmap, read, timerfd_create, timerfd_settime
 * source: clocks, also by the vDSO
 */
#include "guest.h"
#include "made.h"

#include <sys/timerfd.h>
#include <time.h>

enum { TIMER_NS = 40000000, SPINS = 1000000, READINGS = 4, NS = 1000000000 };

static asks ask;
static int is_done;
static volatile unsigned spun;

static long now(clockid_t clock)
{
    struct timespec ts;
    ask(tell, clock, &ts);
    return ts.tv_sec * NS + ts.tv_nsec;
}

static void spin(long count)
{
    for (long i = 0; i < count; i++)
        spun++;
}

/* A replay does not wait for it. */
static void wait_for_timer(void)
{
    struct itimerspec when = {.it_value.tv_nsec = TIMER_NS};
    uint64_t count;
    int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    CHECK(timer >= 0 && timerfd_settime(timer, 0, &when, NULL) == 0 && read(timer, &count, sizeof count) == sizeof count);
}

static void *look(void *count)
{
    char room[1000];
    memset(room, 0, sizeof room);
    spin(*(long *)count);
    if (__atomic_load_n(&is_done, __ATOMIC_SEQ_CST) && now(CLOCK_REALTIME) == room[17])
        puts("impossible");
    return NULL;
}

int main(void)
{
    pthread_t thread;
    ask = made();
    long begin = now(CLOCK_MONOTONIC);
    spin(SPINS);
    long count = TIMER_NS / 2 * (SPINS / (now(CLOCK_MONOTONIC) - begin + 1.));
    CHECK(pthread_create(&thread, NULL, look, &count) == 0);
    wait_for_timer();
    __atomic_store_n(&is_done, 1, __ATOMIC_SEQ_CST);
    CHECK(pthread_join(thread, NULL) == 0);
    for (int i = 0; i < READINGS; i++)
        printf("%ld\n", now(CLOCK_REALTIME));
    return guest_done();
}

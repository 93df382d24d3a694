/* A runtime compiles code that reads the time, sooner than recorded, with other stack frames. The program's own
 * reads are as recorded.
 *
 * run: racing
 * engine: native (threads)
 * shows: clone3, mmap, read, timerfd_create, timerfd_settime
 * source: clocks, also by the vDSO
 */
#include "guest.h"
#include "made.h"

#include <sys/timerfd.h>

enum { TIMER_NS = 8000000, READINGS = 1500, SPINS = 10000, NS = 1000000000 };

static asks ask;
static volatile int compiled;
static volatile unsigned spun;

static __attribute__((noinline)) int tell_runtime(clockid_t clock, struct timespec *ts)
{
    int result = tell(clock, ts);
    __asm__ volatile("" : : : "memory");
    return result;
}

static __attribute__((noinline)) long now(int (*by)(clockid_t, struct timespec *), size_t frame)
{
    struct timespec *ts = __builtin_alloca(frame);
    ask(by, CLOCK_MONOTONIC, ts);
    return ts->tv_sec * NS + ts->tv_nsec;
}

/* A replay does not wait for the timer. */
static void *compile(void *arg)
{
    struct itimerspec when = {.it_value.tv_nsec = TIMER_NS};
    uint64_t count;
    int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    CHECK(timer >= 0 && timerfd_settime(timer, 0, &when, NULL) == 0 && read(timer, &count, sizeof count) == sizeof count);
    compiled = 1;
    return arg;
}

static void spin(void)
{
    for (int i = 0; i < SPINS; i++)
        spun++;
}

int main(void)
{
    pthread_t thread;
    ask = made();
    CHECK(!setvbuf(stdout, NULL, _IONBF, 0));
    CHECK(!pthread_create(&thread, NULL, compile, NULL));
    for (int i = 0; i < READINGS; i++) {
        int was_compiled = compiled;
        spin();
        printf("%ld\n", now(tell, was_compiled ? 64 : 144));
        if (!was_compiled && now(tell, 144) == 0)      /* that it asks less often is over with what it says next */
            puts("impossible");
        puts(".");
        if (i % (was_compiled ? 7 : 3) == 0 && now(tell_runtime, 64 + 16 * (size_t)(i % 5)) == 0)
            puts("impossible");
    }
    CHECK(!pthread_join(thread, NULL));
    return guest_done();
}

/* A program reads two clocks at one time, in whichever thread comes first, after a wait until another time.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_gettime, clock_nanosleep, clone, clone3, wait4
 * source: clocks, also by the vDSO
 */
#include "guest.h"
__asm__(".cfi_sections .debug_frame");   /* as Go's code, it has no tables for exceptions */
#define KEEPS_FRAME __attribute__((noinline, optimize("no-omit-frame-pointer", "no-optimize-sibling-calls")))
enum { JOBS = 6, MS = 1000000 };
static struct moment { int64_t wall, passed; } moments[JOBS], began, ended;

static inline __attribute__((always_inline)) int64_t ask(int clock)
{
    struct timespec t;
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(SYS_clock_gettime), "D"(clock), "S"(&t) : "rcx", "r11", "memory");
    CHECK(result == 0);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}

static KEEPS_FRAME struct moment look(void)
{
    int64_t wall = ask(CLOCK_REALTIME);
    return (struct moment){wall, ask(CLOCK_MONOTONIC)};
}

static KEEPS_FRAME struct moment look_for_program(void)
{
    struct moment m = look();
    return m;
}

static KEEPS_FRAME struct moment look_at_end(void)
{
    struct moment m = look();
    m.passed++;
    return m;
}

static KEEPS_FRAME int64_t look_for_runtime(void)
{
    return ask(CLOCK_MONOTONIC) + 0;
}

/* Until a point in time of the clock. */
static void wait_until(int64_t until)
{
    pthread_condattr_t by;
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t never;
    struct timespec t = {until / 1000000000, until % 1000000000};
    pthread_condattr_init(&by);
    pthread_condattr_setclock(&by, CLOCK_MONOTONIC);
    pthread_cond_init(&never, &by);
    pthread_mutex_lock(&lock);
    while (pthread_cond_timedwait(&never, &lock, &t) != ETIMEDOUT)
        ;
    pthread_mutex_unlock(&lock);
}

/* Takes a while when recorded. */
static void work_outside(int ms)
{
    pid_t child = fork();
    if (!child) {
        nanosleep(&(struct timespec){0, ms * (long)MS}, NULL);
        _exit(0);
    }
    CHECK(wait_for(child) == 0);
}

static void *run(void *arg)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static int job;
    for (int last = 0, wait = (int)(intptr_t)arg; !last; ) {
        if (wait)
            work_outside(60);
        wait_until(look_for_runtime() + (wait ? 5 : 40) * (int64_t)MS);
        pthread_mutex_lock(&lock);
        if (job < JOBS)
            moments[job++] = look_for_program();
        last = job == JOBS;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t thread[2];
    for (intptr_t i = 0; i < 2; i++)
        CHECK(pthread_create(&thread[i], NULL, run, (void *)i) == 0);
    began = look_for_program();
    for (int i = 0; i < 2; i++)
        CHECK(pthread_join(thread[i], NULL) == 0);
    ended = look_at_end();
    for (int i = 0; i < JOBS; i++)
        printf("%lld after %lld\n", (long long)moments[i].wall, (long long)(moments[i].passed - began.passed));
    printf("%lld in all\n", (long long)(ended.passed - began.passed));
    return guest_done();
}

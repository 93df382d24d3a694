/* A runtime moves work between threads. Whichever thread comes first reads random bytes for two tasks in turn.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_nanosleep, clone3, futex, getrandom
 * source: random bytes: getrandom, /dev/urandom, rdrand; which thread does a piece of work
 */
#include "guest.h"
__asm__(".cfi_sections .debug_frame");   /* as Go's code, it has no tables for exceptions */
#define KEEPS_FRAME __attribute__((noinline, optimize("no-omit-frame-pointer", "no-optimize-sibling-calls")))
enum { JOBS = 6, EACH = JOBS / 2, MS = 1000000 };
static uint64_t names[JOBS], keys[JOBS];

static KEEPS_FRAME uint64_t draw(void)
{
    uint64_t bytes;
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(SYS_getrandom), "D"(&bytes), "S"(sizeof bytes), "d"(0) : "rcx", "r11", "memory");
    CHECK(result == sizeof bytes);
    return bytes;
}

static KEEPS_FRAME uint64_t draw_name(void)
{
    return draw() | 1;
}

static KEEPS_FRAME uint64_t draw_key(void)
{
    return draw() & ~1ULL;
}

static void work(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static int jobs;
    for (int i = 0; i < EACH; i++) {
        pthread_mutex_lock(&lock);
        names[jobs] = draw_name();
        keys[jobs++] = draw_key();
        pthread_mutex_unlock(&lock);
    }
}

static KEEPS_FRAME void *run(void *is_late)
{
    void **frame = __builtin_frame_address(0), *above = frame[0];
    if (is_late)
        wait_in_vain(60 * MS);
    else
        nap_ms(30);
    frame[0] = NULL;                      /* nothing called it, as where Go begins */
    work();
    frame[0] = above;
    return is_late;
}

int main(void)
{
    pthread_t thread[2];
    for (intptr_t i = 0; i < 2; i++)
        CHECK(pthread_create(&thread[i], NULL, run, (void *)i) == 0);
    for (int i = 0; i < 2; i++)
        CHECK(pthread_join(thread[i], NULL) == 0);
    for (int i = 0; i < JOBS; i++)
        printf("%016llx %016llx\n", (unsigned long long)names[i], (unsigned long long)keys[i]);
    return guest_done();
}

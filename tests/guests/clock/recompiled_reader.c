/* A runtime compiles the function that reads the time of day. From then on its stack frame differs.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_nanosleep, clone3, gettimeofday
 * source: clocks, also by the vDSO
 */
#include "guest.h"

static volatile int compiled;
static volatile long number = SYS_gettimeofday;

static void *compile(void *arg)
{
    struct timespec nap = {0, 3000000};
    (void)arg;
    nanosleep(&nap, NULL);
    compiled = 1;
    return NULL;
}

__attribute__((noinline)) static long read_time(size_t frame)
{
    struct timeval *now = __builtin_alloca(frame);
    long result = number;                /* from memory: such a call stops */
    __asm__ volatile("syscall" : "+a"(result) : "D"(now), "S"(0) : "rcx", "r11", "memory");
    return (long)now->tv_usec;
}

int main(void)
{
    pthread_t thread;
    CHECK(!pthread_create(&thread, NULL, compile, NULL));
    for (int i = 0; i < 3000; i++)
        printf("%ld\n", read_time(compiled ? 32 : 144));
    CHECK(!pthread_join(thread, NULL));
    return guest_done();
}

#include "guest.h"
__asm__(".cfi_sections .debug_frame");   /* as Go's code, it has no tables for exceptions */
/* A runtime that is linked statically and asks for the time itself, often, on a stack of its own: by an instruction of seven
 * bytes before the call.  Readings of the program are made by whichever thread comes first, between those of the runtime. */
enum { THREADS = 3, READINGS = 400, ROOM = 4096 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int64_t reading[READINGS];
static int made;
#define KEEPS_FRAME __attribute__((noinline, optimize("no-omit-frame-pointer", "no-optimize-sibling-calls")))
static __thread unsigned char other_stack[ROOM] __attribute__((aligned(16)));
static KEEPS_FRAME int64_t look(int clock)
{
    struct timespec t;
    long result;
    unsigned char *top = other_stack + ROOM;
    __asm__ volatile("xchg %%rsp, %1\n movq $228, %%rax\n syscall\n xchg %%rsp, %1"
                     : "=&a"(result), "+b"(top) : "D"(clock), "S"(&t) : "rcx", "r11", "memory");
    CHECK(result == 0);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}
static KEEPS_FRAME int64_t look_for_program(void)
{
    return look(CLOCK_REALTIME) + 0;
}
static KEEPS_FRAME int64_t look_for_runtime(void)
{
    return look(CLOCK_REALTIME) + 1;
}
static KEEPS_FRAME void *run(void *arg)
{
    for (int i = 0, last = 0; !last; i++) {
        for (int k = 0; k < (int)(intptr_t)arg + i % 3; k++)
            CHECK(look_for_runtime() > 0);
        pthread_mutex_lock(&lock);
        if (made < READINGS)
            reading[made++] = look_for_program();
        last = made == READINGS;
        pthread_mutex_unlock(&lock);
        sched_yield();
    }
    return arg;
}
int main(void)
{
    pthread_t thread[THREADS];
    for (int i = 0; i < 100; i++)        /* alone, too */
        CHECK(look_for_runtime() > 0);
    for (intptr_t i = 0; i < THREADS; i++)
        CHECK(pthread_create(&thread[i], NULL, run, (void *)i) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(thread[i], NULL) == 0);
    for (int i = 0; i < READINGS; i++)
        printf("%lld\n", (long long)reading[i]);
    return guest_done();
}

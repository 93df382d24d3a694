/* A thread asks for the time by code that is made as the program runs, when it finds another done sooner than when recorded: that is none
 * of what others ask for by such code. */
#include "guest.h"

#include <sys/mman.h>
#include <sys/timerfd.h>
#include <time.h>

enum { TIMER_NS = 40000000, SPINS = 1000000, READINGS = 4, NS = 1000000000 };

typedef int (*asks)(int (*)(clockid_t, struct timespec *), clockid_t, struct timespec *);
static asks ask;
static int is_done;
static volatile unsigned spun;

static asks made(void)
{
    static const unsigned char code[] = {
        0x48, 0x83, 0xec, 0x08,             /* sub $8, %rsp */
        0x48, 0x89, 0xf8, 0x89, 0xf7,       /* mov %rdi, %rax; mov %esi, %edi */
        0x48, 0x89, 0xd6, 0xff, 0xd0,       /* mov %rdx, %rsi; call *%rax */
        0x48, 0x83, 0xc4, 0x08, 0xc3};      /* add $8, %rsp; ret */
    void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(at != MAP_FAILED);
    memcpy(at, code, sizeof code);
    return (asks)at;
}

/* Not by a jump: its frame is to be among those that lead to the call. */
static __attribute__((noinline)) int tell(clockid_t clock, struct timespec *ts)
{
    int result = clock_gettime(clock, ts);
    __asm__ volatile("" : : : "memory");
    return result;
}

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

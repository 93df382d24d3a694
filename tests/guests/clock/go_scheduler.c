/* A runtime like Go's looks for passed timeouts now and then. In a replay it looks more often, and no timeout may
 * pass early.
 *
 * run: racing, flags=-no-pie -fno-omit-frame-pointer -fno-asynchronous-unwind-tables
 * engine: native (threads)
 * shows: clock_gettime, clock_nanosleep, clone3
 * source: clocks, also by the vDSO; sleeps and timeouts
 */
#include "guest.h"
#include <sys/syscall.h>

enum { ROUNDS = 3, LIMIT_MS = 600, NAP_US = 2000 };
#define RUNTIME __attribute__((section("runtime_text"), noinline))
#define MS 1000000L
static volatile int asked, answered;

__attribute__((noinline)) static long nanotime(void)
{
    struct timespec now;
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "0"(SYS_clock_gettime), "D"(CLOCK_MONOTONIC), "S"(&now) : "rcx", "r11", "memory");
    return now.tv_sec * 1000 * MS + now.tv_nsec;
}

RUNTIME static int is_in_time(int round)
{
    long until = nanotime() + LIMIT_MS * MS;
    struct timespec nap = {0, NAP_US * 1000};
    while (answered < round) {
        nanosleep(&nap, NULL);
        if (nanotime() > until)
            return 0;
    }
    return 1;
}

/* 60 ms or so, without a call. */
static void *answer(void *arg)
{
    for (int round = 1; round <= ROUNDS; round++) {
        while (asked < round)
            usleep(1000);
        for (volatile long n = 0; n < 150000000; n++)
            ;
        answered = round;
    }
    return arg;
}

__asm__(".section .gopclntab,\"a\",@progbits\n"
        ".balign 8\n"
        "go_table: .long 0xfffffff1\n .byte 0, 0, 1, 8\n"
        ".quad 3, 0, 0, go_names - go_table, 0, 0, 0, go_functions - go_table\n"
        "go_names: .asciz \"main.work\"\n"
        "go_runtime: .asciz \"runtime.isInTime\"\n"
        ".balign 8\n"
        "go_functions: .long 0, go_first - go_functions, __start_runtime_text, go_second - go_functions\n"
        ".long __stop_runtime_text, go_first - go_functions, 0x7fffffff, 0\n"
        "go_first: .long 0, 0\n"
        "go_second: .long 0, go_runtime - go_names\n"
        ".zero 64\n"
        ".text\n");

int main(void)
{
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, answer, NULL) == 0);
    for (int round = 1; round <= ROUNDS; round++) {
        long before = nanotime();
        asked = round;
        printf("round %d %s\n", round, is_in_time(round) ? "in time" : "late");
        printf("took %ld ns\n", nanotime() - before);
        usleep(900000);
    }
    CHECK(pthread_join(thread, NULL) == 0);
    return guest_done();
}

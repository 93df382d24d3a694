/* Waits for and wakes futexes by the newer calls, compares two processes, and queues a signal to a thread.
 *
 * shows: futex_requeue, futex_wait, futex_waitv, futex_wake, kcmp, rt_tgsigqueueinfo
 * source: sleeps and timeouts; signals; process, thread, group and session ids
 */
#include "calls.h"

struct waiter { uint64_t value, address; uint32_t flags, reserved; };

int main(void)
{
    static uint32_t words[2] = {1, 1};
    struct waiter waiters[2] = {{1, (uintptr_t)&words[0], 2 | 128, 0}, {1, (uintptr_t)&words[1], 2 | 128, 0}};
    struct timespec past = {0, 1};
    siginfo_t info = {.si_code = SI_QUEUE, .si_value.sival_int = 42}, got;
    sigset_t set;
    CALL(SYS_futex_waitv, waiters, 2, 0, &past, CLOCK_MONOTONIC);
    CALL(NR_futex_wait, &words[0], 1L, 0xffffffffL, 2 | 128, &past, CLOCK_MONOTONIC);
    CALL(NR_futex_wait, &words[0], 0L, 0xffffffffL, 2 | 128, NULL, CLOCK_MONOTONIC);
    CALL(NR_futex_wake, &words[0], 0xffffffffL, 1, 2 | 128);
    CALL(NR_futex_requeue, waiters, 0, 1, 1);
    CALL(SYS_kcmp, getpid(), getpid(), 1, 0L, 0L);
    CALL(SYS_kcmp, getpid(), getpid(), 0, 1L, 1L);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    CHECK(sigprocmask(SIG_BLOCK, &set, NULL) == 0);
    CALL(SYS_rt_tgsigqueueinfo, getpid(), getpid(), SIGUSR1, &info);
    CHECK(sigwaitinfo(&set, &got) == SIGUSR1);
    printf("value %d\n", got.si_value.sival_int);
    return guest_done();
}

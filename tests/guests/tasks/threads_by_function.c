/* A replay makes one thread fewer than recorded. Threads made later by other functions keep their identity.
 *
 * run: racing
 * engine: native (threads)
 * shows: clone3, getpid, kill, read, rt_sigprocmask, rt_sigtimedwait, timerfd_create, timerfd_settime
 * source: which thread does a piece of work
 */
#include "guest.h"
#include <sys/timerfd.h>

static volatile int is_done;
static sigset_t term;

static void *work(void *unused)
{
    for (volatile long i = 0; i < 30000000; i++)
        ;
    is_done = 1;
    return unused;
}

static void *help(void *unused)
{
    return unused;
}

static void *await_signal(void *unused)
{
    siginfo_t info;
    CHECK(sigwaitinfo(&term, &info) == SIGTERM);
    printf("signal from %d\n", (int)info.si_pid);
    return unused;
}

static void __attribute__((noinline)) help_out(void)
{
    pthread_t helper;
    CHECK(pthread_create(&helper, NULL, help, NULL) == 0 && pthread_join(helper, NULL) == 0);
}

static pthread_t __attribute__((noinline)) begin_waiting(void)
{
    pthread_t waiter;
    CHECK(pthread_create(&waiter, NULL, await_signal, NULL) == 0);
    return waiter;
}

int main(void)
{
    struct itimerspec once = {.it_value = {0, 600000000}};
    int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    uint64_t times;
    pthread_t worker;
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    CHECK(pthread_sigmask(SIG_BLOCK, &term, NULL) == 0);
    CHECK(pthread_create(&worker, NULL, work, NULL) == 0);
    CHECK(timer >= 0 && timerfd_settime(timer, 0, &once, NULL) == 0 && read(timer, &times, sizeof times) == sizeof times);
    if (is_done)
        help_out();
    pthread_t waiter = begin_waiting();
    CHECK(kill(getpid(), SIGTERM) == 0);
    CHECK(pthread_join(waiter, NULL) == 0 && pthread_join(worker, NULL) == 0);
    return guest_done();
}

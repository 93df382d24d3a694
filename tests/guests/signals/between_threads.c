/* A thread waits for a signal that another sends. Threads have names and masks of their own.
 *
 * run: racing
 * engine: native (threads)
 * shows: clone3, rt_sigprocmask, rt_sigtimedwait, tgkill
 * source: signals; which thread does a piece of work
 */
#include "guest.h"

static volatile int got[2];
static pthread_barrier_t barrier;
static void on_signal(int s)
{
    (void)s;
    got[1]++;
}
static void *wait_signal(void *arg)
{
    int sig;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_barrier_wait(&barrier);
    CHECK(sigwait(&set, &sig) == 0);
    got[0] = sig;
    return arg;
}
int main(void)
{
    pthread_t waiter;
    char name[16];
    sigset_t set;
    struct sigaction a = {.sa_handler = on_signal};
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    CHECK(sigaction(SIGUSR2, &a, NULL) == 0 && pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
    CHECK(pthread_barrier_init(&barrier, NULL, 2) == 0);
    CHECK(pthread_create(&waiter, NULL, wait_signal, NULL) == 0);
    CHECK(pthread_setname_np(waiter, "waiter") == 0 && pthread_getname_np(waiter, name, sizeof name) == 0);
    pthread_barrier_wait(&barrier);
    CHECK(pthread_kill(waiter, SIGUSR1) == 0 && pthread_join(waiter, NULL) == 0);
    CHECK(pthread_kill(pthread_self(), SIGUSR2) == 0);
    printf("%s got %d, handled %d\n", name, got[0], got[1]);
    return guest_done();
}

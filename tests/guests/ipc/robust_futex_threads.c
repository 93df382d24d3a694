/* Threads end while they hold a robust lock, plain or priority-inheriting. Other threads wait for it already, or
 * later.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_nanosleep, clone3, futex, sched_yield
 * source: locks
 */
#include "guest.h"

static pthread_mutex_t lock;
static volatile int held;
static void *die(void *waits)
{
    CHECK(pthread_mutex_lock(&lock) == 0);
    held = 1;
    if (waits)
        nap_ms(10);                       /* the other waits by now */
    return waits;
}
static void take(const char *when)
{
    int error = pthread_mutex_lock(&lock);
    printf("%s: %s\n", when, strerror(error));
    CHECK(error == EOWNERDEAD && pthread_mutex_consistent(&lock) == 0 && pthread_mutex_unlock(&lock) == 0);
}
static void show(int protocol)
{
    pthread_mutexattr_t a;
    pthread_t thread;
    CHECK(pthread_mutexattr_init(&a) == 0 && pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST) == 0);
    CHECK(pthread_mutexattr_setprotocol(&a, protocol) == 0 && pthread_mutex_init(&lock, &a) == 0);
    CHECK(pthread_create(&thread, NULL, die, NULL) == 0 && pthread_join(thread, NULL) == 0);
    take("later");
    held = 0;
    CHECK(pthread_create(&thread, NULL, die, &lock) == 0);
    while (!held)
        sched_yield();
    take("waiting");
    CHECK(pthread_join(thread, NULL) == 0);
}
int main(void)
{
    show(PTHREAD_PRIO_NONE);
    show(PTHREAD_PRIO_INHERIT);
    return guest_done();
}

/* A thread sleeps until points in time and looks whether another is done. It does sleep in a replay.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_gettime, clock_nanosleep, clone3, futex, getpid
 * source: clocks, also by the vDSO; sleeps and timeouts
 */
#include "guest.h"

static volatile int is_done;
static void *look(void *arg)
{
    struct timespec until;
    long naps = 0;
    clock_gettime(CLOCK_MONOTONIC, &until);
    for (; !is_done; naps++) {
        until.tv_nsec += 20000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        CHECK(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == 0);
        clock_gettime(CLOCK_MONOTONIC, &until);
    }
    *(long *)arg = naps;
    return NULL;
}
int main(void)
{
    pthread_t thread;
    long naps = 0;
    CHECK(pthread_create(&thread, NULL, look, &naps) == 0);
    usleep(300000);
    is_done = 1;
    CHECK(pthread_join(thread, NULL) == 0);
    printf("%s, process %d\n", naps > 0 && naps < 100 ? "some naps" : "other than some naps", getpid());
    return guest_done();
}

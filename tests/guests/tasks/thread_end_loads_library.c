/* A thread ends by pthread_exit, for which libc may load libgcc_s. A replay may need it although the recording did
 * not.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_nanosleep, clone3, read, timerfd_create, timerfd_settime
 * source: which thread does a piece of work
 */
#include "guest.h"
#include <sys/timerfd.h>

static volatile int is_over;

static void *nap(void *unused)
{
    usleep(20000);
    is_over = 1;
    return unused;
}

static void *leave(void *unused)
{
    if (!is_over)
        pthread_exit(NULL);
    return unused;
}

int main(void)
{
    struct itimerspec in = {.it_value = {.tv_nsec = 200000000}};
    int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    uint64_t rings;
    pthread_t napper, leaver;
    CHECK(timerfd_settime(timer, 0, &in, NULL) == 0);
    CHECK(pthread_create(&napper, NULL, nap, NULL) == 0);
    CHECK(read(timer, &rings, sizeof rings) == sizeof rings);
    CHECK(pthread_create(&leaver, NULL, leave, NULL) == 0);
    CHECK(pthread_join(leaver, NULL) == 0);
    CHECK(pthread_join(napper, NULL) == 0);
    return guest_done();
}

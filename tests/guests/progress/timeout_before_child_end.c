/* A thread waits for a long-sleeping child, and another for that thread with a timeout, which must pass first.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_gettime, clock_nanosleep, clone, clone3, futex
 * source: sleeps and timeouts; ends and statuses of children
 */
#include "guest.h"
#include "reaper.h"

int main(void)
{
    struct timespec now;
    pthread_t reaper;
    pid_t child = fork();
    if (child == 0) {
        nap_ms(900);
        _exit(3);
    }
    CHECK(child > 0 && pthread_create(&reaper, NULL, reap, &child) == 0);
    for (int round = 0; round < 2; round++) {
        clock_gettime(CLOCK_REALTIME, &now);
        printf("%s\n", is_reaped_after(now) ? "early" : "not yet");
    }
    CHECK(pthread_join(reaper, NULL) == 0);
    printf("%d\n", WEXITSTATUS(reaped));
    return guest_done();
}

/* Like timeout_after_child_kill.c, but the timed thread reads the clock often and computes before its wait.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_gettime, clock_nanosleep, clone, clone3, futex, kill
 * source: sleeps and timeouts; clocks, also by the vDSO
 */
#include "guest.h"
#include "reaper.h"

enum { OFTEN = 4000, ROUNDS = 60000000 };

int main(void)
{
    struct timespec now;
    pthread_t reaper;
    pid_t child = fork_waiting();
    CHECK(child > 0 && pthread_create(&reaper, NULL, reap, &child) == 0);
    for (int i = 0; i < OFTEN; i++)
        clock_gettime(CLOCK_REALTIME, &now);
    for (volatile int i = 0; i < ROUNDS; i++) {
    }
    printf("%s\n", is_reaped_after(now) ? "early" : "waits");
    kill(child, SIGKILL);
    CHECK(pthread_join(reaper, NULL) == 0);
    printf("killed by %d\n", WTERMSIG(reaped));
    return guest_done();
}

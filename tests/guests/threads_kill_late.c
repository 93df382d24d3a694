#include "guest.h"
#include "reaper.h"
/* As threads_kill_waiting.c, where the thread whose wait has a limit has read the clock often, so that readings come into the log later,
 * and computes between its reading and its wait: the wait lasts until what it read says. */
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

/* A thread waits for a child that waits for ever. A timeout of another thread passes first, and then the child is
 * killed.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_gettime, clock_nanosleep, clone, clone3, futex, kill
 * source: sleeps and timeouts; ends and statuses of children
 */
#include "guest.h"
#include "reaper.h"

int main(void)
{
    struct timespec now;
    pthread_t reaper;
    pid_t child = fork_waiting();
    CHECK(child > 0 && pthread_create(&reaper, NULL, reap, &child) == 0);
    clock_gettime(CLOCK_REALTIME, &now);
    printf("%s\n", is_reaped_after(now) ? "early" : "waits");
    kill(child, SIGKILL);
    CHECK(pthread_join(reaper, NULL) == 0);
    printf("killed by %d\n", WTERMSIG(reaped));
    return guest_done();
}

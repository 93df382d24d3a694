#include "guest.h"
#include "reaper.h"
/* A thread waits for a child that waits for its own child, in a call that never returns: another thread, whose wait with a limit is over
 * first, kills it.  It must not end before that. */
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

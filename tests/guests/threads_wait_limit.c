#include "guest.h"
#include "reaper.h"
/* A thread waits for a child that sleeps for long, another for that thread, with a limit, which is over first: in a replay the child's sleep is
 * over at once, and yet it must not end before that. */
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

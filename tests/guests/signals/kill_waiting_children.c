/* Children that wait for ever are killed, in several ways.
 *
 * shows: clock_nanosleep, clone, kill, pause, pipe2, read
 * source: signals; ends and statuses of children
 */
#include "guest.h"

static void kill_by(int sig, int how)
{
    int fds[2], never[2];
    char ready;
    CHECK(pipe(fds) == 0 && pipe(never) == 0);
    pid_t child = fork();
    if (child == 0) {
        CHECK(write(fds[1], "r", 1) == 1);
        if (how == 0)
            for (;;)
                pause();
        if (how == 1)
            sleep(1000);
        CHECK(read(never[0], &ready, 1) == 1);
        _exit(1);
    }
    CHECK(read(fds[0], &ready, 1) == 1);
    nap_ms(5);
    CHECK(kill(child, sig) == 0);
    int status = wait_for(child);
    printf("child %d: signal %d, was killed %d, by %d\n", child, sig, WIFSIGNALED(status), WTERMSIG(status));
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == sig);
    for (int i = 0; i < 2; i++)
        close(fds[i]), close(never[i]);
}
int main(void)
{
    int signals[] = {SIGKILL, SIGTERM, SIGINT, SIGHUP};
    for (int i = 0; i < 4; i++)
        for (int how = 0; how < 3; how++)
            kill_by(signals[i], how);
    return guest_done();
}

/* An alarm arrives while a task waits for another task's write. The writer is further ahead than the task, which
 * has yet to reach its wait.
 *
 * engine: native (order by sleeps)
 * shows: access, clock_nanosleep, clone, pipe2, read, setitimer
 * source: signals
 */
#include "guest.h"

static volatile sig_atomic_t alarms;

static void on_alarm(int sig)
{
    (void)sig;
    alarms++;
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    struct itimerval soon = {.it_value = {0, 400000}};
    int pipes[2];
    char byte;
    CHECK(!pipe(pipes) && !sigaction(SIGALRM, &action, NULL) && !setitimer(ITIMER_REAL, &soon, NULL));
    pid_t child = fork();
    if (child == 0) {
        nap_ms(1200);
        CHECK(write(pipes[1], "x", 1) == 1);
        _exit(7);
    }
    for (volatile int n = 0; n < 20000000; n++) {
    }
    CHECK(access("nothing", F_OK) == -1);
    CHECK(read(pipes[0], &byte, 1) == 1 && byte == 'x');
    printf("alarms %d\n", (int)alarms);
    CHECK(WEXITSTATUS(wait_for(child)) == 7);
    return guest_done();
}

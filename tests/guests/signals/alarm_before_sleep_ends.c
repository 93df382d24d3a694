/* An alarm arrives while a task waits for a writer that sleeps longer than the alarm's delay.
 *
 * engine: native (order by sleeps)
 * shows: clock_nanosleep, clone, pipe2, read, setitimer, wait4
 * source: signals; sleeps and timeouts
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
    struct itimerval soon = {.it_value = {0, 50000}};
    int pipes[2], status;
    char byte;
    CHECK(!pipe(pipes) && !sigaction(SIGALRM, &action, NULL) && !setitimer(ITIMER_REAL, &soon, NULL));
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        struct timespec nap = {0, 400000000};
        nanosleep(&nap, NULL);
        CHECK(write(pipes[1], "x", 1) == 1);
        _exit(7);
    }
    CHECK(read(pipes[0], &byte, 1) == 1 && byte == 'x');
    printf("alarms %d\n", (int)alarms);
    CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7);
    printf("%s\n", TOKEN);
    return 0;
}

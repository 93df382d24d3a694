/* A handler waits for children while the program waits for other things.
 *
 * shows: clock_nanosleep, clone, rt_sigprocmask, rt_sigreturn, rt_sigsuspend, wait4
 * source: ends and statuses of children
 */
#include "guest.h"

static volatile int ended, sum;
static void on_child(int s)
{
    (void)s;
    int status, saved = errno;
    while (waitpid(-1, &status, WNOHANG) > 0) {
        ended++;
        sum += WEXITSTATUS(status);
    }
    errno = saved;
}
int main(void)
{
    sigset_t block, before;
    struct sigaction a = {.sa_handler = on_child, .sa_flags = SA_RESTART};
    CHECK(sigaction(SIGCHLD, &a, NULL) == 0);
    sigemptyset(&block);
    sigaddset(&block, SIGCHLD);
    for (int i = 1; i <= 4; i++) {
        pid_t child = fork();
        if (child == 0) {
            nap_ms(i * 5);
            _exit(i);
        }
        CHECK(child > 0);
    }
    CHECK(sigprocmask(SIG_BLOCK, &block, &before) == 0);
    while (ended < 4)
        sigsuspend(&before);
    printf("ended %d sum %d\n", ended, sum);
    CHECK(waitpid(-1, NULL, 0) == -1 && errno == ECHILD);
    return guest_done();
}

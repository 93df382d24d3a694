/* Takes a child's signals one at a time by sigsuspend.
 *
 * shows: clock_nanosleep, clone, getppid, kill, rt_sigpending, rt_sigprocmask, rt_sigsuspend, tgkill
 * source: signals
 */
#include "guest.h"

static volatile int got;
static void on_signal(int s) { got = s; }
int main(void)
{
    sigset_t block, before;
    struct sigaction a = {.sa_handler = on_signal};
    sigemptyset(&block);
    sigaddset(&block, SIGUSR1);
    sigaddset(&block, SIGUSR2);
    CHECK(sigprocmask(SIG_BLOCK, &block, &before) == 0);
    CHECK(sigaction(SIGUSR1, &a, NULL) == 0 && sigaction(SIGUSR2, &a, NULL) == 0);
    for (int round = 0; round < 3; round++) {
        pid_t child = fork();
        if (child == 0) {
            nap_ms(round * 10);
            kill(getppid(), round % 2 ? SIGUSR2 : SIGUSR1);
            _exit(0);
        }
        got = 0;
        CHECK(sigsuspend(&before) == -1 && errno == EINTR);
        printf("round %d: signal %d\n", round, got);
        CHECK(got == (round % 2 ? SIGUSR2 : SIGUSR1));
        CHECK(wait_for(child) == 0);
    }
    CHECK(raise(SIGUSR1) == 0);
    sigset_t pending;
    CHECK(sigpending(&pending) == 0);
    printf("pending %d %d\n", sigismember(&pending, SIGUSR1), sigismember(&pending, SIGUSR2));
    return guest_done();
}

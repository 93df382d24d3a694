/* Several signals are delivered at one point, each at the first instruction of the previous handler. The first
 * handler leaves by longjmp.
 *
 * shows: clock_nanosleep, clone, getppid, kill, rt_sigprocmask, rt_sigsuspend
 * source: signals
 */
#include "guest.h"
#include <setjmp.h>

static char order[64];
static volatile sig_atomic_t has_jumped;
static sigjmp_buf start;

static void handler(int sig)
{
    strcat(order, sig == SIGUSR1 ? " first" : sig == SIGUSR2 ? " second" : has_jumped ? " end-after" : " end");
    if (sig == SIGUSR1)
        siglongjmp(start, 1);
}

static void let_all_in(int by_wait)
{
    sigset_t held, none;
    sigemptyset(&none);
    sigemptyset(&held);
    sigaddset(&held, SIGUSR1);
    sigaddset(&held, SIGUSR2);
    sigaddset(&held, SIGCHLD);
    CHECK(!sigprocmask(SIG_BLOCK, &held, NULL));
    pid_t child = fork();
    if (!child) {
        kill(getppid(), SIGUSR2);
        kill(getppid(), SIGUSR1);
        _exit(0);
    }
    nap_ms(30);
    has_jumped = 0;
    order[0] = 0;
    if (!sigsetjmp(start, 0)) {
        if (by_wait)
            sigsuspend(&none);
        else
            sigprocmask(SIG_SETMASK, &none, NULL);
    } else
        has_jumped = 1;
    write(1, order, strlen(order));
    write(1, "\n", 1);
    CHECK(wait_for(child) == 0);
}

int main(void)
{
    struct sigaction a = {.sa_handler = handler};
    CHECK(!sigaction(SIGUSR1, &a, NULL) && !sigaction(SIGUSR2, &a, NULL) && !sigaction(SIGCHLD, &a, NULL));
    for (int i = 0; i < 2; i++) {
        let_all_in(1);
        let_all_in(0);
    }
    return guest_done();
}

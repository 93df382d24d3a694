/* Processes that share memory wait for each other by signals, as often as their pace has it (PostgreSQL's latches).
 *
 * run: racing
 * engine: native (processes that share memory)
 * shows: clone, kill, rt_sigprocmask, rt_sigsuspend
 * source: signals; which thread does a piece of work
 */
#include "guest.h"

enum { ROUNDS = 30, WORK = 200000 };
static volatile int *turn;

static void woken(int sig)
{
    (void)sig;
}

/* Each wakes the other while it works, too. */
static void play(int own, pid_t other)
{
    sigset_t wakes, before;
    sigemptyset(&wakes);
    sigaddset(&wakes, SIGUSR1);
    CHECK(sigprocmask(SIG_BLOCK, &wakes, &before) == 0);
    for (int i = 0; i < ROUNDS; i++) {
        while (*turn != own)
            sigsuspend(&before);
        for (volatile int k = 0; k < WORK; k++)
            if (k % (WORK / 4) == 0)
                CHECK(kill(other, SIGUSR1) == 0);
        *turn = !own;
        CHECK(kill(other, SIGUSR1) == 0);
    }
}

int main(void)
{
    struct sigaction action = {.sa_handler = woken};
    turn = shared_page();
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
    pid_t child = fork();
    CHECK(child >= 0);
    if (!child) {
        play(1, getppid());
        pause();
    }
    play(0, child);
    while (*turn)
        sched_yield();
    CHECK(kill(child, SIGKILL) == 0);
    printf("ended by %d\n", WTERMSIG(wait_for(child)));
    return guest_done();
}

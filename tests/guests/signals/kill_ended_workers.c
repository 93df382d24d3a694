/* Workers that share memory exit by themselves, some late. Their parent kills all that may still exist.
 *
 * run: racing
 * shows: clone, kill, rt_sigprocmask
 * source: ends and statuses of children; shared memory, mapped files
 */
#include "guest.h"

enum { WORKERS = 3 };

static void work(int *left, int i)
{
    for (volatile long n = 0; n < (i + 1) * 2000000L; n++) {
    }
    __atomic_fetch_sub(left, 1, __ATOMIC_SEQ_CST);
    exit(10 + i);
}

int main(void)
{
    int *left = shared_page();
    pid_t worker[WORKERS];
    sigset_t ends;
    *left = WORKERS;
    for (int i = 0; i < WORKERS; i++)
        if ((worker[i] = fork()) == 0)
            work(left, i);
    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ends, NULL);
    wait_in_vain(900000000);
    for (int i = 0; i < WORKERS; i++)
        CHECK(kill(worker[i], SIGTERM) == 0);
    for (int i = 0; i < WORKERS; i++) {
        int status = wait_for(worker[i]);
        printf("worker %d: %d, %d\n", i, WTERMSIG(status), WEXITSTATUS(status));
    }
    printf("%d left\n", *left);
    return guest_done();
}

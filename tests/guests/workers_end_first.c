/* Workers that share memory end by themselves, some late; who began them ends all that may still be there. */
#include "guest.h"

enum { WORKERS = 3 };

static void work(int *left, int i)
{
    for (volatile long n = 0; n < (i + 1) * 2000000L; n++) {
    }
    __atomic_fetch_sub(left, 1, __ATOMIC_SEQ_CST);
    exit(10 + i);
}

/* For a signal that does not come, which takes no time when it is replayed. */
static void pause_shortly(void)
{
    struct timespec limit = {0, 900000000};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, NULL);
    sigdelset(&set, SIGCHLD);
    sigaddset(&set, SIGUSR1);
    CHECK(sigtimedwait(&set, NULL, &limit) < 0 && errno == EAGAIN);
}

int main(void)
{
    int *left = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t worker[WORKERS];
    CHECK(left != MAP_FAILED);
    *left = WORKERS;
    for (int i = 0; i < WORKERS; i++)
        if ((worker[i] = fork()) == 0)
            work(left, i);
    pause_shortly();
    for (int i = 0; i < WORKERS; i++)
        CHECK(kill(worker[i], SIGTERM) == 0);
    for (int i = 0; i < WORKERS; i++) {
        int status = wait_for(worker[i]);
        printf("worker %d: %d, %d\n", i, WTERMSIG(status), WEXITSTATUS(status));
    }
    printf("%d left\n", *left);
    return guest_done();
}

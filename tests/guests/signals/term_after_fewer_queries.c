/* A thread queries a file while another works, which takes longer when recorded. Then another process sends it the
 * signal to end.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_nanosleep, clone, clone3, getpid, kill, newfstatat, rt_sigprocmask, rt_sigsuspend
 * source: signals; sleeps and timeouts
 */
#include "guest.h"

static volatile sig_atomic_t told;
static volatile int works;

static void tell(int sig)
{
    told = sig;
}

static void nap(int us)
{
    nanosleep(&(struct timespec){0, us * 1000L}, NULL);
}

static pid_t child_after(int ms, pid_t target)
{
    pid_t child = fork();
    if (!child) {
        nap(ms * 1000);
        _exit(target && kill(target, SIGTERM));
    }
    return child;
}

static void *work(void *unused)
{
    works = 1;
    CHECK(wait_for(child_after(80, 0)) == 0);
    works = 0;
    while (!told)
        nap(200);
    return unused;
}

int main(void)
{
    pthread_t thread;
    sigset_t term, before;
    struct sigaction a = {.sa_handler = tell};
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    CHECK(!pthread_sigmask(SIG_BLOCK, &term, &before) && !sigaction(SIGTERM, &a, NULL) && !pthread_create(&thread, NULL, work, NULL));
    nap(40000);
    if (works)
        CHECK(!close(open("/proc/self/stat", O_RDONLY)));
    while (works)
        nap(1000);
    pid_t child = child_after(20, getpid());
    while (!told)
        sigsuspend(&before);
    CHECK(!pthread_join(thread, NULL) && wait_for(child) == 0);
    printf("told to end: %d\n", (int)told);
    return guest_done();
}

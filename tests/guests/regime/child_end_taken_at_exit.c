/* The handler in an idle thread has not yet taken a child's end when the process exits. The working thread never
 * sees it taken.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_nanosleep, clone, clone3, kill, pipe2, read, rt_sigprocmask
 * source: ends and statuses of children; which thread does a piece of work
 */
#include "guest.h"

static volatile sig_atomic_t status = -1;
static volatile pid_t child;
static int slow[2];

static void *rest(void *unused)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
    sigset_t end;
    sigemptyset(&end);
    sigaddset(&end, SIGCHLD);
    pthread_sigmask(SIG_UNBLOCK, &end, NULL);
    pthread_mutex_lock(&lock);
    for (;;)
        pthread_cond_wait(&work, &lock);
    return unused;
}

static void on_end(int sig)
{
    char go;
    int how;
    (void)sig;
    CHECK(read(slow[0], &go, 1) == 1);
    if (waitpid(child, &how, WNOHANG) == child)
        status = how;
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_end, .sa_flags = SA_RESTART};
    sigset_t end;
    pthread_t thread;
    sigemptyset(&end);
    sigaddset(&end, SIGCHLD);
    CHECK(sigaction(SIGCHLD, &action, NULL) == 0 && pthread_sigmask(SIG_BLOCK, &end, NULL) == 0);
    CHECK(pipe(slow) == 0);
    if (fork() == 0) {
        nap_ms(1500);
        CHECK(write(slow[1], "x", 1) == 1);
        _exit(0);
    }
    CHECK(pthread_create(&thread, NULL, rest, NULL) == 0);
    for (volatile int n = 0; n < 20000000; n++) {
    }
    if ((child = fork()) == 0)
        _exit(3);
    for (volatile int n = 0; n < 100000000; n++) {
    }
    printf("kill: %d\n", kill(child, 0));
    for (volatile int n = 0; n < 20000000; n++) {
    }
    printf("status %d\n", (int)status);
    return guest_done();
}

/* SIGCHLD goes to an idle thread, whose handler takes it, while the first thread computes and then ends the other
 * children.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_gettime, clone, clone3, kill, pause, pipe2, read, rt_sigprocmask, wait4
 * source: ends and statuses of children; which thread does a piece of work
 */
#include "guest.h"

enum { CHILDREN = 4, ROUNDS = 3, MS = 1000000 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static volatile pid_t child[CHILDREN];
static volatile int status[CHILDREN];                 /* written by the call: what comes after it the first thread may not see yet */

static void *rest(void *unused)
{
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
    int kept = errno;
    for (int i = 0; i < CHILDREN && sig == SIGCHLD; i++)
        if (child[i] && status[i] < 0)
            waitpid(child[i], (int *)&status[i], WNOHANG);
    errno = kept;
}

static void compute_ms(int ms)
{
    struct timespec began, now;
    clock_gettime(CLOCK_MONOTONIC, &began);
    do {
        for (volatile int n = 0; n < 20000; n++) {
        }
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - began.tv_sec) * 1000 * MS + now.tv_nsec - began.tv_nsec < ms * MS);
}

static void be_child(int round, int i, const int *gate)
{
    char go;
    close(gate[1]);
    CHECK(read(gate[0], &go, 1) == 0);
    for (volatile long n = 0; n < (i + round) % CHILDREN * 1000000L; n++) {
    }
    if (i % 2)
        pause();
    _exit(10 * round + i);
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_end, .sa_flags = SA_RESTART};
    sigset_t end;
    pthread_t thread;
    sigemptyset(&end);
    sigaddset(&end, SIGCHLD);
    CHECK(sigaction(SIGCHLD, &action, NULL) == 0 && pthread_sigmask(SIG_BLOCK, &end, NULL) == 0);
    CHECK(pthread_create(&thread, NULL, rest, NULL) == 0);
    compute_ms(20);
    for (int round = 0; round < ROUNDS; round++) {
        int gate[2];
        CHECK(pipe(gate) == 0);
        for (int i = 0; i < CHILDREN; i++) {
            child[i] = 0;
            status[i] = -1;
            if ((child[i] = fork()) == 0)
                be_child(round, i, gate);
        }
        close(gate[0]);
        close(gate[1]);
        compute_ms(60);
        for (int i = 0; i < CHILDREN; i++)
            if (status[i] < 0)
                printf("child %d is there: %d\n", i, kill(child[i], SIGTERM));
        compute_ms(30);
        for (int i = 0; i < CHILDREN; i++)
            printf("child %d: %#x\n", i, (unsigned)status[i]);
    }
    return guest_done();
}

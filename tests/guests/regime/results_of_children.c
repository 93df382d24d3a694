/* A process with an idle thread takes results from children, ends them, and learns of their ends at once or by
 * SIGCHLD.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_nanosleep, clone, clone3, kill, pipe2, pselect6, read, rt_sigprocmask, rt_sigtimedwait, wait4
 * source: ends and statuses of children; which thread does a piece of work
 */
#include "guest.h"

#include <stdbool.h>
#include <sys/select.h>

enum { CHILDREN = 4, ROUNDS = 3 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static struct { pid_t pid; int end; bool told, ended; } child[CHILDREN];
static volatile sig_atomic_t chances;

static void *rest(void *unused)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    pthread_mutex_lock(&lock);
    for (;;)
        pthread_cond_wait(&work, &lock);
    return unused;
}

static void on_end(int sig)
{
    chances += sig == SIGCHLD;
}

static void compute(int round, int i, int out)
{
    sigset_t told;
    int sig, result = round * 10 + i;
    sigemptyset(&told);
    sigaddset(&told, SIGUSR1);
    sigprocmask(SIG_BLOCK, &told, NULL);
    usleep((useconds_t)(((i * 7 + round * 3) % CHILDREN) * 4000));
    CHECK(write(out, &result, sizeof result) == sizeof result);
    close(out);
    sigwait(&told, &sig);
    if (i % 2)
        usleep(9000);
    _exit(result);
}

static void begin(int round)
{
    for (int i = 0; i < CHILDREN; i++) {
        int ends[2];
        CHECK(pipe(ends) == 0);
        child[i].told = child[i].ended = false;
        child[i].end = ends[0];
        if ((child[i].pid = fork()) == 0)
            compute(round, i, ends[1]);
        close(ends[1]);
    }
}

static int wait_for_some(fd_set *set)
{
    struct timeval limit = {5, 0};
    int most = 0;
    FD_ZERO(set);
    for (int i = 0; i < CHILDREN; i++)
        if (!child[i].told) {
            FD_SET(child[i].end, set);
            most = child[i].end > most ? child[i].end : most;
        }
    return select(most + 1, set, NULL, NULL, &limit);
}

static void look(int i)
{
    int status;
    if (child[i].ended || waitpid(child[i].pid, &status, WNOHANG) != child[i].pid)
        return;
    child[i].ended = true;
    printf("child %d ended: %d\n", i, WEXITSTATUS(status));
}

static void take(int left)
{
    while (left > 0) {
        fd_set set;
        int result, n = wait_for_some(&set);
        if (n < 0)
            continue;
        printf("%d ready\n", n);
        for (int i = 0; i < CHILDREN; i++) {
            if (child[i].told || !FD_ISSET(child[i].end, &set) || read(child[i].end, &result, sizeof result) != sizeof result)
                continue;
            printf("child %d says %d\n", i, result);
            close(child[i].end);
            child[i].told = true;
            left--;
            kill(child[i].pid, SIGUSR1);
            look(i);
        }
    }
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_end};
    pthread_t thread;
    CHECK(sigaction(SIGCHLD, &action, NULL) == 0);
    CHECK(pthread_create(&thread, NULL, rest, NULL) == 0);
    for (int round = 0; round < ROUNDS; round++) {
        begin(round);
        take(CHILDREN);
        for (int i = 0; i < CHILDREN; i++)
            if (!child[i].ended) {
                printf("child %d is there: %d\n", i, kill(child[i].pid, SIGUSR1));
                while (waitpid(child[i].pid, NULL, 0) != child[i].pid)
                    CHECK(errno == EINTR);
            }
    }
    return guest_done();
}

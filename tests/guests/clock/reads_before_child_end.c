/* A child ends once a thread answers it, which needs an answer of the first thread before. That one reads the
 * clock per request.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_gettime, clone, clone3, pipe2, poll, read, rt_sigprocmask
 * source: clocks, also by the vDSO; ends and statuses of children
 */
#include "guest.h"

enum { OTHERS = 2000, FEW = 60 };
static int events[2], request[2], answer[2];
static volatile sig_atomic_t ended;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int asked, served;
static void on_end(int sig)
{
    (void)sig;
    ended = 1;
    CHECK(write(events[1], "e", 1) == 1);
}
static void until(int *count, int least)
{
    pthread_mutex_lock(&lock);
    while (*count < least)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}
static void count(int *what)
{
    pthread_mutex_lock(&lock);
    ++*what;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}
static void *answers(void *none)
{
    char byte;
    CHECK(read(request[0], &byte, 1) == 1);
    until(&asked, FEW);
    CHECK(write(events[1], "s", 1) == 1);
    until(&served, 1);
    CHECK(write(answer[1], "a", 1) == 1);
    return none;
}
static void *asks(void *none)
{
    for (int i = 0; i < OTHERS; i++, count(&asked))
        CHECK(write(events[1], "o", 1) == 1);
    return none;
}
static pid_t start_child(void)
{
    char byte;
    pid_t pid = fork();
    if (pid)
        return pid;
    CHECK(write(request[1], "r", 1) == 1 && read(answer[0], &byte, 1) == 1);
    _exit(7);
}
int main(void)
{
    pthread_t threads[2];
    char byte;
    int others = 0;
    struct timespec now;
    CHECK(pipe2(events, O_NONBLOCK) == 0 && pipe(request) == 0 && pipe(answer) == 0 && signal(SIGCHLD, on_end) != SIG_ERR);
    pid_t pid = start_child();
    sigset_t end;
    sigemptyset(&end);
    sigaddset(&end, SIGCHLD);
    CHECK(pthread_sigmask(SIG_BLOCK, &end, NULL) == 0);
    CHECK(pthread_create(&threads[0], NULL, answers, NULL) == 0 && pthread_create(&threads[1], NULL, asks, NULL) == 0);
    CHECK(pthread_sigmask(SIG_UNBLOCK, &end, NULL) == 0);
    while (!ended || others < OTHERS) {
        struct pollfd p = {events[0], POLLIN, 0};
        if (poll(&p, 1, -1) < 0)
            continue;
        CHECK(clock_gettime(CLOCK_MONOTONIC_COARSE, &now) == 0);
        while (read(events[0], &byte, 1) == 1) {
            others += byte == 'o';
            if (byte == 's')
                count(&served);
        }
    }
    CHECK(WEXITSTATUS(wait_for(pid)) == 7);
    for (int i = 0; i < 2; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    printf("%d served\n", others);
    return guest_done();
}

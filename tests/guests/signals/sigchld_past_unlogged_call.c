/* A child ends before a call that the log does not contain. The replay is past that call, so a later signal wait
 * must end instead. Every other time the replay has blocked the signal before the next logged call.
 *
 * engine: native (signals between calls)
 * shows: access, clone, dup, lseek, pipe2, read, rt_sigprocmask, rt_sigsuspend, wait4
 * source: ends and statuses of children
 */
#include "guest.h"
#include <stdbool.h>

enum { CHILDREN = 60, ROUNDS = 400000 };

static volatile sig_atomic_t ended;

static void on_child(int sig)
{
    (void)sig;
    ended = 1;
}

static void compute(int rounds)
{
    for (volatile int i = 0; i < rounds; i++)
        ;
}

static void wait_for_end(bool queries)
{
    sigset_t chld, before;
    CHECK(!sigemptyset(&chld) && !sigaddset(&chld, SIGCHLD) && !sigprocmask(SIG_BLOCK, &chld, &before));
    CHECK(!queries || access("in.txt", F_OK) == 0);
    while (!ended)
        CHECK(sigsuspend(&before) == -1 && errno == EINTR);
    CHECK(!sigprocmask(SIG_SETMASK, &before, NULL));
}

static void serve(int number)
{
    int pipes[2], status;
    char byte;
    CHECK(!pipe2(pipes, O_CLOEXEC));
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        CHECK(!close(pipes[0]) && !close(pipes[1]));
        compute(ROUNDS);
        for (int i = 0; i < number % 8; i++)          /* takes longer in a replay */
            CHECK(close(dup(0)) == 0);
        _exit(number);
    }
    CHECK(!close(pipes[1]) && read(pipes[0], &byte, 1) == 0);
    compute(ROUNDS + number * 20000);
    CHECK(lseek(pipes[0], 0, SEEK_CUR) == -1 && errno == ESPIPE && !close(pipes[0]));
    wait_for_end(number % 2);
    ended = 0;
    CHECK(waitpid(child, &status, 0) == child);
    printf("child %d of pid %d ended with %d\n", number, (int)child, WEXITSTATUS(status));
}

int main(void)
{
    struct sigaction a = {.sa_handler = on_child, .sa_flags = SA_RESTART};
    CHECK(!sigaction(SIGCHLD, &a, NULL));
    for (int i = 1; i <= CHILDREN; i++)
        serve(i);
    return guest_done();
}

/* A stopped child is ended by a signal, as by a shell. It takes the signal after SIGCONT, which its log does not
 * contain.
 *
 * shows: clone, kill, rt_sigaction, tgkill, wait4
 * source: ends and statuses of children; signals
 */
#include "guest.h"

static void handle(int sig)
{
    printf("child has %d\n", sig);
    fflush(stdout);
}

static pid_t stopped_child(int handles)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        if (handles)
            signal(SIGTERM, handle);
        raise(SIGSTOP);
        puts("child goes on");
        _exit(handles ? 0 : 1);
    }
    CHECK(waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status));
    return child;
}

int main(void)
{
    for (int handles = 0; handles < 2; handles++) {
        int status;
        pid_t child = stopped_child(handles);
        CHECK(kill(child, SIGTERM) == 0 && kill(child, SIGCONT) == 0);
        CHECK(waitpid(child, &status, 0) == child);
        printf("ended by %d, with %d\n", WIFSIGNALED(status) ? WTERMSIG(status) : 0, WIFEXITED(status) ? WEXITSTATUS(status) : 0);
    }
    return guest_done();
}

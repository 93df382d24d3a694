/* A child is ended while it is stopped, as a shell ends a stopped job: by a signal, which it takes once it is let go on; its log does
 * not have what lets it go on.  One that handles the signal goes on. */
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

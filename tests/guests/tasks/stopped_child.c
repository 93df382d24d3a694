/* A child is stopped, continued, and ends. The parent waits for each change.
 *
 * shows: clone, kill, tgkill, wait4
 * source: ends and statuses of children
 */
#include "guest.h"

int main(void)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        raise(SIGSTOP);
        puts("child goes on");
        _exit(7);
    }
    CHECK(waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status));
    printf("stopped by %d\n", WSTOPSIG(status));
    CHECK(waitpid(child, &status, WNOHANG) == 0);
    CHECK(kill(child, SIGCONT) == 0);
    CHECK(waitpid(child, &status, WCONTINUED) == child);
    printf("continued %d\n", WIFCONTINUED(status) != 0);
    if (WIFCONTINUED(status))
        CHECK(waitpid(child, &status, 0) == child);
    printf("ended %d\n", WEXITSTATUS(status));
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    return guest_done();
}

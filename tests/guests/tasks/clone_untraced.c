/* Starts children with CLONE_UNTRACED, as the leak check of sanitizers does. Their calls must still be logged.
 *
 * shows: clock_gettime, clone, clone3, wait4
 * source: fork, clone, exec
 */
#include "guest.h"
#include <linux/sched.h>

static void child(const char *by)
{
    struct timespec now;
    CHECK(clock_gettime(CLOCK_REALTIME, &now) == 0 && getppid() > 1);
    printf("by %s: %lld.%09ld, process %d\n", by, (long long)now.tv_sec, now.tv_nsec, getpid());
    fflush(stdout);
    _exit(3);
}

static void await(pid_t pid)
{
    int status;
    CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 3);
}

int main(void)
{
    struct clone_args args = {.flags = CLONE_UNTRACED, .exit_signal = SIGCHLD};
    pid_t pid = (pid_t)syscall(SYS_clone, CLONE_UNTRACED | SIGCHLD, NULL, NULL, NULL, NULL);
    if (pid == 0)
        child("clone");
    await(pid);
    pid = (pid_t)syscall(SYS_clone3, &args, sizeof args);
    if (pid == 0)
        child("clone3");
    await(pid);
    return guest_done();
}

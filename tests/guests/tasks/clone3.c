/* Makes processes by clone and clone3, with pidfds for them.
 *
 * shows: clone, clone3, getpid, getppid, pause, pidfd_open, pidfd_send_signal, poll, wait4, waitid
 * source: fork, clone, exec
 */
#include "guest.h"
#include <linux/sched.h>

int main(void)
{
    int pidfd = -1, status;
    struct clone_args args = {.flags = CLONE_PIDFD | CLONE_PARENT_SETTID, .exit_signal = SIGCHLD,
                              .pidfd = (uintptr_t)&pidfd};
    pid_t told = 0;
    args.parent_tid = (uintptr_t)&told;
    pid_t child = syscall(SYS_clone3, &args, sizeof args);
    if (child == 0) {
        printf("child %d of %d\n", getpid(), getppid());
        _exit(3);
    }
    CHECK(child > 0 && told == child && pidfd >= 0);
    struct pollfd ready = {pidfd, POLLIN, 0};
    CHECK(poll(&ready, 1, 5000) == 1);
    siginfo_t info;
    CHECK(waitid(P_PIDFD, pidfd, &info, WEXITED) == 0);
    printf("child %d ended with %d\n", info.si_pid, info.si_status);
    child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (child == 0)
        _exit(4);
    CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 4);
    child = fork();
    if (child == 0)
        for (;;)
            pause();
    pidfd = syscall(SYS_pidfd_open, child, 0);
    CHECK(pidfd >= 0 && syscall(SYS_pidfd_send_signal, pidfd, SIGTERM, NULL, 0) == 0);
    status = wait_for(child);
    printf("killed by %d\n", WTERMSIG(status));
    return guest_done();
}

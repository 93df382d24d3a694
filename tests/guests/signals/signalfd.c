/* Reads signals from a signalfd: its own, a child's, and a child's end.
 *
 * shows: clock_nanosleep, clone, getpid, getppid, poll, read, rt_sigprocmask, rt_sigqueueinfo, signalfd4, tgkill
 * source: signals
 */
#include "guest.h"
#include <sys/signalfd.h>

int main(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGCHLD);
    CHECK(sigprocmask(SIG_BLOCK, &set, NULL) == 0);
    int fd = signalfd(-1, &set, SFD_CLOEXEC);
    CHECK(fd >= 0 && raise(SIGUSR1) == 0);
    struct signalfd_siginfo info;
    CHECK(read(fd, &info, sizeof info) == sizeof info);
    printf("signal %u from %u\n", info.ssi_signo, info.ssi_pid);
    CHECK(info.ssi_pid == (unsigned)getpid());
    pid_t child = fork();
    if (child == 0) {
        union sigval value = {.sival_int = 5};
        sigqueue(getppid(), SIGUSR1, value);
        nap_ms(20);
        _exit(6);
    }
    CHECK(read(fd, &info, sizeof info) == sizeof info);
    printf("signal %u value %d from %u\n", info.ssi_signo, info.ssi_int, info.ssi_pid);
    struct pollfd ready = {fd, POLLIN, 0};
    CHECK(poll(&ready, 1, 5000) == 1 && read(fd, &info, sizeof info) == sizeof info);
    printf("signal %u status %d from %u\n", info.ssi_signo, info.ssi_status, info.ssi_pid);
    CHECK(info.ssi_pid == (unsigned)child && wait_for(child) == 6 << 8);
    return guest_done();
}

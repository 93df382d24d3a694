/* A process waits for a signal by which another says that it has written to a file that both have open, which no event shows.
 *
 * engine: native (order between processes)
 * shows: clone, kill, pread64, rt_sigprocmask, rt_sigtimedwait, wait4
 * source: signals
 */
#include "guest.h"
#include <signal.h>
#include <sys/wait.h>

static void compute(void)
{
    for (volatile unsigned work = 0; work < 40000000; work++)
        ;
}

int main(void)
{
    char text[64] = "";
    sigset_t set;
    siginfo_t info;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    CHECK(!sigprocmask(SIG_BLOCK, &set, NULL));
    int fd = open("notes", O_RDWR | O_CREAT, 0600);
    CHECK(fd >= 0);
    pid_t child = fork();
    if (!child) {
        compute();
        CHECK(write(fd, "written\n", 8) == 8);
        CHECK(!kill(getppid(), SIGUSR1));
        _exit(0);
    }
    CHECK(sigtimedwait(&set, &info, &(struct timespec){50, 0}) == SIGUSR1);
    printf("%zd bytes: %s", pread(fd, text, sizeof text - 1, 0), text);
    CHECK(waitpid(child, NULL, 0) == child);
    return guest_done();
}

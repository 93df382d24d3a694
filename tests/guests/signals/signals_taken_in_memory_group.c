/* Processes that share memory take each other's signals by sigwaitinfo, sigwait and signalfd. A taken signal does
 * not arrive again.
 *
 * run: racing
 * engine: native (processes that share memory)
 * shows: clock_nanosleep, clone, getpid, kill, read, rt_sigprocmask, rt_sigtimedwait, signalfd4
 * source: signals; shared memory, mapped files
 */
#include "guest.h"

#include <stdbool.h>
#include <sys/signalfd.h>

enum { ROUNDS = 9 };
enum by { INFO, PLAIN, DESCRIPTOR };

static int handled;
static volatile int *turn;

static void handle(int sig)
{
    (void)sig;
    handled++;
}

static pid_t take(const sigset_t *set, enum by by, int expected)
{
    struct signalfd_siginfo told = {0};
    siginfo_t info = {0};
    int sig;
    if (by == INFO)
        CHECK(sigwaitinfo(set, &info) == expected);
    else if (by == PLAIN)
        CHECK(sigwait(set, &sig) == 0 && sig == expected);
    else {
        int fd = signalfd(-1, set, SFD_CLOEXEC);
        CHECK(fd >= 0 && read(fd, &told, sizeof told) == sizeof told && close(fd) == 0);
        CHECK((int)told.ssi_signo == expected);
    }
    return by == INFO ? info.si_pid : (pid_t)told.ssi_pid;
}

/* Sends one each time that the other is about to take it. */
static void prod(pid_t other)
{
    for (int i = 0; i < ROUNDS; i++) {
        while (*turn != i + 1)
            usleep(200);
        usleep(i % 2 * 2000);
        CHECK(kill(other, i & 1 ? SIGUSR1 : SIGRTMIN) == 0);
    }
}

int main(void)
{
    sigset_t set;
    pid_t self = getpid(), other;
    turn = shared_page();
    signal(SIGUSR1, handle);
    signal(SIGRTMIN, handle);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGRTMIN);
    CHECK(sigprocmask(SIG_BLOCK, &set, NULL) == 0 && (other = fork()) >= 0);
    if (!other) {
        prod(self);
        _exit(0);
    }
    for (int i = 0; i < ROUNDS; i++) {
        sigprocmask(SIG_BLOCK, &set, NULL);
        *turn = i + 1;
        pid_t sender = take(&set, (enum by)(i % 3), i & 1 ? SIGUSR1 : SIGRTMIN);
        CHECK(kill(self, SIGUSR1) == 0);
        if (i > 3)
            CHECK(take(&set, (enum by)(i % 2 * 2), SIGUSR1) == self);
        sigprocmask(SIG_UNBLOCK, &set, NULL);
        printf("round %d: taken from %s, %d handled\n", i, sender == other ? "the other" : sender ? "another" : "one", handled);
    }
    CHECK(wait_for(other) == 0);
    return guest_done();
}

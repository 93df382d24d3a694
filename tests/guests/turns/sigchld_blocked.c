/* A parent blocks and unblocks SIGCHLD between logged calls while children end. How often it has since its last
 * call depends on the order.
 *
 * run: racing, serialized
 * engine: native (--serialize)
 * shows: clone, pselect6, rt_sigaction, rt_sigprocmask, wait4
 * source: order of threads, one at a time; ends and statuses of children
 */
#include "guest.h"

enum { ROUNDS = 40, OTHERS = 12 };
static volatile int others, came = -1;

static void reap(int sig)
{
    (void)sig;
    int kept = errno;
    if (came < 0)
        came = others;
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ;
    errno = kept;
}

int main(void)
{
    struct sigaction by = {.sa_handler = reap, .sa_flags = SA_RESTART};
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    CHECK(!sigaction(SIGCHLD, &by, NULL));
    for (int round = 0; round < ROUNDS; round++) {
        came = -1;
        pid_t child = fork();
        if (!child) {
            for (volatile long k = 0; k < 20000l * round; k++)
                ;
            _exit(0);
        }
        while (came < 0) {
            struct timeval none = {0, 0};
            others = 0;
            CHECK(select(0, NULL, NULL, NULL, &none) == 0 || errno == EINTR);
            for (; others < OTHERS && came < 0; others++)
                CHECK(!sigprocmask(SIG_BLOCK, &ends, NULL) && !sigprocmask(SIG_UNBLOCK, &ends, NULL));
        }
        printf("round %d: after %d\n", round, came);
    }
    return guest_done();
}

/* A child ends while its parent computes. In a replay the parent reaches its next wait before, and the signal must
 * still end that wait.
 *
 * run: racing
 * engine: native (threads)
 * shows: clone, clone3, pipe2, poll, read, rt_sigprocmask, wait4
 * source: ends and statuses of children
 */
#include "guest.h"

static int told[2];
static volatile int waited;

static void on_child(int sig)
{
    int saved = errno;
    CHECK(write(told[1], &sig, 1) == 1);
    errno = saved;
}

static void *wait_long(void *unused)
{
    wait_in_vain(900000000);
    waited = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    sigset_t chld;
    struct sigaction a = {.sa_handler = on_child, .sa_flags = SA_RESTART};
    struct pollfd p = {.events = POLLIN};
    char sig;
    int status;
    CHECK(!pipe2(told, O_CLOEXEC | O_NONBLOCK) && !sigaction(SIGCHLD, &a, NULL) && !sigemptyset(&chld) && !sigaddset(&chld, SIGCHLD));
    p.fd = told[0];
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        for (volatile long n = 0; n < 60000000; n++) {
        }
        _exit(3);
    }
    CHECK(!pthread_sigmask(SIG_BLOCK, &chld, NULL) && !pthread_create(&thread, NULL, wait_long, NULL));
    CHECK(!pthread_sigmask(SIG_UNBLOCK, &chld, NULL));
    while (!waited) {
    }
    while (poll(&p, 1, -1) != 1)
        CHECK(errno == EINTR);
    CHECK(read(told[0], &sig, 1) == 1 && waitpid(child, &status, WNOHANG) == child);
    printf("child ended with %d\n", WEXITSTATUS(status));
    CHECK(!pthread_join(thread, NULL));
    return guest_done();
}

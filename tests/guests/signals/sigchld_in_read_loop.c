/* A child ends while its parent repeats the same calls on pipes and computes. The reader gets as much each time as
 * recorded.
 *
 * engine: native (sizes of pipe reads)
 * shows: clone, ioctl, pipe2, poll, read, rt_sigprocmask, rt_sigsuspend, wait4
 * source: ends and statuses of children; pipes: sizes of reads, order of writers
 */
#include "guest.h"
#include <sys/ioctl.h>
#include <termios.h>

enum { ROUNDS = 4000, ENOUGH = 600 };
static volatile int ended;
static void reap(int sig)
{
    while (waitpid(-1, NULL, WNOHANG) > 0)       /* one signal may tell of both */
        ended++;
    (void)sig;
}
static void reader(int from, int tells)
{
    char bytes[64];
    int total = 0, reads = 0;
    struct pollfd p = {.fd = from, .events = POLLIN};
    poll(&p, 1, -1);
    for (ssize_t n; (n = read(from, bytes, sizeof bytes)) > 0; reads++) {
        if (total < ENOUGH && total + n >= ENOUGH)
            CHECK(write(tells, "x", 1) == 1);
        total += (int)n;
    }
    printf("%d in %d\n", total, reads);
    exit(0);
}
int main(void)
{
    int data[2], go[2];
    volatile unsigned long sum = 0;
    char byte;
    struct termios unused;
    CHECK(pipe(data) == 0 && pipe(go) == 0);
    if (fork() == 0) {
        close(data[1]);
        reader(data[0], go[1]);
    }
    struct sigaction act = {.sa_handler = reap, .sa_flags = SA_RESTART};
    CHECK(sigaction(SIGCHLD, &act, NULL) == 0);
    if (fork() == 0)
        _exit(read(go[0], &byte, 1) != 1);
    for (int i = 0; i < ROUNDS; i++) {
        ioctl(data[0], TCGETS, &unused);
        for (unsigned long k = 0; k < 3000; k++)
            sum += k;
        CHECK(write(data[1], "y", 1) == 1);
    }
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    CHECK(sigprocmask(SIG_BLOCK, &set, NULL) == 0);
    close(data[1]);
    while (ended < 2) {
        sigemptyset(&set);
        sigsuspend(&set);
    }
    return guest_done();
}

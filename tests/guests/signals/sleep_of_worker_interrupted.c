/* A process that shares memory sleeps until a signal from elsewhere interrupts that, long before its time.
 *
 * run: racing
 * shows: clock_gettime, clone, clone3, execve, kill, pipe2, poll, read
 * source: signals; sleeps and timeouts
 */
#include "guest.h"
#include <poll.h>

enum { JOBS = 12 };

static volatile sig_atomic_t ended;

static void on_term(int sig)
{
    (void)sig;
    ended = 1;
}

static void work(void)
{
    for (int i = 0; i < JOBS; i++)
        CHECK(system("true") == 0);
}

static int ms_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int)(now.tv_sec * 1000 + now.tv_nsec / 1000000);
}

/* Where the machine was so busy that the time was over when recorded, nothing is told. */
static void nap(int ready, int told, int limit)
{
    char in_time;
    int *shared = shared_page(), over = 0;
    struct sigaction act = {.sa_handler = on_term};
    sigaction(SIGTERM, &act, NULL);
    pid_t kin = fork();
    if (!kin) {
        shared[0] = 1;
        exit(0);
    }
    wait_for(kin);
    CHECK(write(ready, "!", 1) == 1);
    while (!ended)
        over += poll(NULL, 0, limit) == 0;
    CHECK(read(told, &in_time, 1) == 1);
    printf("shared %d, naps over %d\n", shared[0], in_time == 'y' ? over : 0);
    exit(guest_done());
}

int main(void)
{
    int ready[2], tells[2], before = ms_now();
    char c;
    work();
    int took = ms_now() - before, limit = took + took / 2 + 1;
    CHECK(pipe(ready) == 0 && pipe(tells) == 0);
    pid_t child = fork();
    if (!child)
        nap(ready[1], tells[0], limit);
    CHECK(read(ready[0], &c, 1) == 1);
    before = ms_now();
    work();
    CHECK(kill(child, SIGTERM) == 0);
    CHECK(write(tells[1], ms_now() - before + took / 8 < limit ? "y" : "n", 1) == 1);
    wait_for(child);
    return guest_done();
}

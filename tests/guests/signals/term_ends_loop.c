/* A thread loops until a signal of another process comes, with clock reads that a replay does not make.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_gettime, clock_nanosleep, clone, clone3, kill, pipe2, read
 * source: signals; clocks, also by the vDSO
 */
#include "guest.h"
#include <linux/futex.h>
enum { MS = 1000000 };

static volatile sig_atomic_t is_told;
static volatile int is_over;

static void take(int sig)
{
    is_told |= sig == SIGTERM;
}

static void rest(int ms)
{
    static int never;
    syscall(SYS_futex, &never, FUTEX_WAIT_PRIVATE, 0, &(struct timespec){0, ms * MS}, NULL, 0);
}

static __attribute__((noinline)) long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_nsec;
}

static __attribute__((noinline)) long now_waiting(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_nsec;
}

static void *tell(void *unused)
{
    wait_in_vain(80 * MS);
    is_over = 1;
    return unused;
}

static void serve(int ready)
{
    pthread_t thread;
    CHECK(signal(SIGTERM, take) != SIG_ERR && !pthread_create(&thread, NULL, tell, NULL));
    rest(30);
    long asked = is_over ? 0 : now_waiting();
    CHECK(write(ready, "r", 1) == 1);
    for (; !is_told; rest(10))
        asked += now();
    puts(asked ? "told" : "told at 0");
    exit(0);
}

int main(void)
{
    int ends[2];
    char byte;
    CHECK(pipe(ends) == 0);
    pid_t child = fork();
    if (!child)
        serve(ends[1]);
    CHECK(read(ends[0], &byte, 1) == 1);
    nap_ms(50);
    CHECK(kill(child, SIGTERM) == 0 && wait_for(child) == 0);
    return guest_done();
}

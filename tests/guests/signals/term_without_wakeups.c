/* A sibling thread sends wake-up signals when recorded but none in a replay. Another process's signal arrives all
 * the same.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_nanosleep, clone, clone3, getpid, kill, pipe2, read, tgkill
 * source: signals; which thread does a piece of work
 */
#include "guest.h"
#include <linux/futex.h>
#include <semaphore.h>
enum { MS = 1000000, PRODS = 3 };

static volatile sig_atomic_t is_told;
static volatile int is_over;
static sem_t woken;

static void take(int sig)
{
    is_told |= sig == SIGTERM;
    sem_post(&woken);
}

static void rest(int ms)
{
    static int never;
    syscall(SYS_futex, &never, FUTEX_WAIT_PRIVATE, 0, &(struct timespec){0, ms * MS}, NULL, 0);
}

static void *prod(void *ready)
{
    rest(30);
    for (int i = 0; i < PRODS && !is_over; i++) {
        CHECK(syscall(SYS_tgkill, getpid(), getpid(), SIGUSR1) == 0);
        rest(5);
    }
    CHECK(write(*(int *)ready, "r", 1) == 1);
    return NULL;
}

static void *tell(void *unused)
{
    wait_in_vain(80 * MS);
    is_over = 1;
    return unused;
}

static void serve(int ready)
{
    pthread_t thread[2];
    CHECK(!sem_init(&woken, 0, 0) && signal(SIGUSR1, take) != SIG_ERR && signal(SIGTERM, take) != SIG_ERR);
    CHECK(!pthread_create(&thread[0], NULL, prod, &ready) && !pthread_create(&thread[1], NULL, tell, NULL));
    while (!is_told)
        sem_wait(&woken);
    puts("told");
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
    nap_ms(20);
    CHECK(kill(child, SIGTERM) == 0 && wait_for(child) == 0);
    return guest_done();
}

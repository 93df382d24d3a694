/* A thread queries a file if it comes first, and then waits for a signal of another thread. In a replay the other comes
 * first, so the query before the signal is left over.
 *
 * run: racing, outside=servers
 * engine: native (threads)
 * shows: access, clone3, futex, tgkill
 * source: signals; which thread does a piece of work
 */
#include "outside.h"
#include <semaphore.h>

static int is_taken;
static sem_t signalled;

static void post(int sig)
{
    (void)sig;
    sem_post(&signalled);
}

static int comes_first(void)
{
    return !__atomic_exchange_n(&is_taken, 1, __ATOMIC_SEQ_CST);
}

static void *work(void *unused)
{
    usleep(100000);
    CHECK(!comes_first() || access("in.txt", R_OK) == 0);
    while (sem_wait(&signalled) != 0)
        CHECK(errno == EINTR);
    return unused;
}

int main(void)
{
    struct sigaction a = {.sa_handler = post};
    pthread_t thread;
    CHECK(sigaction(SIGUSR1, &a, NULL) == 0 && sem_init(&signalled, 0, 0) == 0);
    FILE *f = called();
    CHECK(pthread_create(&thread, NULL, work, NULL) == 0);
    hear_long(f);
    hear_long(f);
    comes_first();
    usleep(50000);                                 /* the thread waits by then */
    CHECK(pthread_kill(thread, SIGUSR1) == 0 && pthread_join(thread, NULL) == 0);
    return guest_done();
}

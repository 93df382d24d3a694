/* A timer's signal wakes several sleeping threads. One handles it, and the others continue to sleep.
 *
 * run: racing, serialized
 * engine: native (threads)
 * shows: clock_nanosleep, clone3, getppid, setitimer
 * source: order of threads, one at a time; sleeps and timeouts
 */
#include "guest.h"
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>

enum { THREADS = 3, ROUNDS = 200, MOST = 64 };
static volatile sig_atomic_t rings;
static volatile long work, at[MOST];
static void rang(int sig)
{
    (void)sig;
    if (rings < MOST)
        at[rings] = work;
    rings++;
}
static void *works(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        for (int k = 0; k < 50000; k++)
            work++;
        getppid();
        usleep(100);
    }
    return unused;
}
int main(void)
{
    pthread_t thread[THREADS];
    struct itimerval every = {{0, 7000}, {0, 7000}};
    signal(SIGALRM, rang);
    CHECK(!setitimer(ITIMER_REAL, &every, NULL));
    for (int i = 0; i < THREADS; i++)
        CHECK(!pthread_create(&thread[i], NULL, works, NULL));
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < rings && i < MOST; i++)
        printf("%ld\n", at[i]);
    return guest_done();
}

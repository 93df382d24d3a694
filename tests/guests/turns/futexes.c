/* Prints who takes a job, how long timed waits last, and which thread a signal interrupts.
 *
 * run: racing, serialized
 * engine: native (threads)
 * shows: clock_gettime, clock_nanosleep, clone3, futex, rt_sigaction, tgkill
 * source: order of threads, one at a time
 */
#include "guest.h"

enum { THREADS = 3, JOBS = 60 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int queued, taken, timeouts, over;
static volatile int signals;
static void count(int sig)
{
    (void)sig;
    signals++;
}
static void *work(void *arg)
{
    int mine = 0;
    pthread_mutex_lock(&lock);
    while (!over || queued) {
        if (queued) {
            queued--;
            mine++;
            printf("thread %ld takes job %d\n", (long)arg, taken++);
            continue;
        }
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 300000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        timeouts += pthread_cond_timedwait(&filled, &lock, &until) == ETIMEDOUT;
    }
    pthread_mutex_unlock(&lock);
    printf("thread %ld had %d\n", (long)arg, mine);
    return NULL;
}
int main(void)
{
    pthread_t threads[THREADS];
    signal(SIGUSR1, count);
    for (long i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, work, (void *)i) == 0);
    for (int i = 0; i < JOBS; i++) {
        pthread_mutex_lock(&lock);
        queued++;
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&lock);
        if (i % 7 == 0) {
            pthread_kill(threads[i % THREADS], SIGUSR1);
            usleep(700);
        }
    }
    pthread_mutex_lock(&lock);
    over = 1;
    pthread_cond_broadcast(&filled);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    printf("%d timeouts, %d signals\n", timeouts, signals);
    return guest_done();
}

/* Threads lose each other's updates of a counter, and print in racing order.
 *
 * run: racing, serialized
 * engine: native (threads)
 * shows: clock_gettime, clock_nanosleep, clone3, futex
 * source: order of threads, one at a time
 */
#include "guest.h"

enum { THREADS = 4, ROUNDS = 100 };
static volatile long counter;
static void *work(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        long seen = counter;
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (i % 16 == 0)
            usleep(50);
        counter = seen + 1;
        if (i % 10 == 0)
            printf("%c%d %ld %ld\n", 'a' + (int)(long)arg, i, counter, (long)now.tv_nsec);
    }
    return NULL;
}
int main(void)
{
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, work, (void *)i) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    printf("counted %ld\n", counter);
    return guest_done();
}

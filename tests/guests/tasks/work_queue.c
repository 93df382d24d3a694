/* Threads share a queue of work. The result does not depend on who did what.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_gettime, clock_nanosleep, clone3, pread64
 * source: which thread does a piece of work
 */
#include "guest.h"

enum { WORKERS = 4, ITEMS = 200 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int next, done;
static long results[ITEMS];
static void *work(void *arg)
{
    for (;;) {
        pthread_mutex_lock(&mutex);
        int item = next < ITEMS ? next++ : -1;
        pthread_mutex_unlock(&mutex);
        if (item < 0)
            return arg;
        char text[16] = "";
        int fd = open(item % 2 ? "in.txt" : "data/a.txt", O_RDONLY);
        CHECK(fd >= 0 && pread(fd, text, 5, item % 7) == 5 && close(fd) == 0);
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (item % 50 == 0)
            nap_ms(2);
        pthread_mutex_lock(&mutex);
        for (int i = 0; i < 5; i++)
            results[item] = results[item] * 31 + text[i];
        done++;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&mutex);
    }
}
int main(void)
{
    pthread_t threads[WORKERS];
    long sum = 0;
    for (int i = 0; i < WORKERS; i++)
        CHECK(pthread_create(&threads[i], NULL, work, NULL) == 0);
    pthread_mutex_lock(&mutex);
    while (done < ITEMS)
        pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < WORKERS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    for (int i = 0; i < ITEMS; i++)
        sum = sum * 17 + results[i];
    printf("done %d sum %lx\n", done, sum);
    return guest_done();
}

/* Threads are joined by pipes, with timed waits, files of their own, and a semaphore.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_gettime, clock_nanosleep, clone3, pipe2, read
 * source: pipes: sizes of reads, order of writers; which thread does a piece of work
 */
#include "guest.h"
#include <semaphore.h>

enum { STAGES = 5 };
static int pipes[STAGES + 1][2];
static sem_t ended;
static void *stage(void *arg)
{
    long number = (long)arg, value;
    char name[32], text[32];
    while (read(pipes[number][0], &value, sizeof value) == sizeof value) {
        value = value * 3 + number;
        if (value % 5 == 0)
            nap_ms(1);
        CHECK(write(pipes[number + 1][1], &value, sizeof value) == sizeof value);
    }
    close(pipes[number + 1][1]);
    snprintf(name, sizeof name, "stage%ld", number);
    snprintf(text, sizeof text, "stage %ld ended\n", number);
    put_file(name, text);
    sem_post(&ended);
    return NULL;
}
int main(void)
{
    pthread_t threads[STAGES];
    long value;
    CHECK(sem_init(&ended, 0, 0) == 0);
    for (int i = 0; i <= STAGES; i++)
        CHECK(pipe(pipes[i]) == 0);
    for (long i = 0; i < STAGES; i++)
        CHECK(pthread_create(&threads[i], NULL, stage, (void *)i) == 0);
    for (long i = 0; i < 20; i++)
        CHECK(write(pipes[0][1], &i, sizeof i) == sizeof i);
    close(pipes[0][1]);
    while (read(pipes[STAGES][0], &value, sizeof value) == sizeof value)
        printf("%ld\n", value);
    for (int i = 0; i < STAGES; i++) {
        struct timespec limit;
        clock_gettime(CLOCK_REALTIME, &limit);
        limit.tv_sec += 10;
        CHECK(sem_timedwait(&ended, &limit) == 0 && pthread_join(threads[i], NULL) == 0);
    }
    return guest_done();
}

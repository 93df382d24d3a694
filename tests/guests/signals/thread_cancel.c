/* Threads are cancelled during a sleep, a condition wait, and a read.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_nanosleep, clone3, pipe2, read, tgkill
 * source: signals; which thread does a piece of work
 */
#include "guest.h"

static int fds[2];
static void *block(void *arg)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
    char byte;
    switch ((long)arg) {
    case 0: sleep(1000); break;
    case 1: pthread_mutex_lock(&mutex), pthread_cond_wait(&never, &mutex); break;
    case 2: read(fds[0], &byte, 1) == 1 ? puts("?") : 0;
    }
    return NULL;
}
int main(void)
{
    CHECK(pipe(fds) == 0);
    for (long way = 0; way < 3; way++) {
        pthread_t thread;
        void *result;
        CHECK(pthread_create(&thread, NULL, block, (void *)way) == 0);
        nap_ms(20);
        CHECK(pthread_cancel(thread) == 0 && pthread_join(thread, &result) == 0);
        printf("way %ld: cancelled %d\n", way, result == PTHREAD_CANCELED);
        CHECK(result == PTHREAD_CANCELED);
    }
    return guest_done();
}

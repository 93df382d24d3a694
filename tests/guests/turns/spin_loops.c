/* Threads wait for each other in loops without a call. Only an interruption lets the other one run.
 *
 * run: racing, serialized
 * engine: native (threads)
 * shows: clone3
 * source: order of threads, one at a time
 */
#include "guest.h"

static volatile int asked, answered;
static void *answer(void *arg)
{
    for (int i = 1; i <= 5; i++) {
        while (asked < i)
            ;
        printf("answer %d\n", i);
        answered = i;
    }
    return arg;
}
int main(void)
{
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, answer, NULL) == 0);
    for (int i = 1; i <= 5; i++) {
        asked = i;
        while (answered < i)
            ;
        printf("asked %d\n", i);
    }
    CHECK(pthread_join(thread, NULL) == 0);
    return guest_done();
}

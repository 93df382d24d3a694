/* A thread reads the time very often, and also right before it writes it. It must write the recorded one.
 *
 * run: racing
 * engine: native (threads)
 * shows: clone3, futex, time
 * source: clocks, also by the vDSO; standard streams
 */
#include "guest.h"

enum { ROUNDS = 20 };
static volatile int is_done;
static void *look(void *unused)
{
    while (!is_done)
        CHECK(time(NULL) > 0);
    for (int i = 0; i < 3; i++) {
        time_t written = -1, told = time(&written);
        CHECK(written == told);
    }
    return unused;
}
int main(void)
{
    pthread_t looker;
    for (int i = 0; i < ROUNDS; i++) {
        is_done = 0;
        CHECK(pthread_create(&looker, NULL, look, NULL) == 0);
        for (volatile int k = 0; k < (i % 3) * 100000; k++)
            ;
        is_done = 1;
        CHECK(pthread_join(looker, NULL) == 0);
    }
    return guest_done();
}

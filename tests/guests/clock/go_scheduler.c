/* A runtime like Go's looks for passed timeouts now and then. In a replay it looks more often, and no timeout may
 * pass early.
 *
 * run: racing, flags=-no-pie -fno-omit-frame-pointer -fno-asynchronous-unwind-tables
 * engine: native (threads)
 * shows: clock_gettime, clock_nanosleep, clone3
 * source: clocks, also by the vDSO; sleeps and timeouts
 */
#include "go.h"

enum { ROUNDS = 3, LIMIT_MS = 600, NAP_US = 2000 };
static volatile int asked, answered;

RUNTIME static int is_in_time(int round)
{
    long until = nanotime() + LIMIT_MS * MS;
    struct timespec nap = {0, NAP_US * 1000};
    while (answered < round) {
        nanosleep(&nap, NULL);
        if (nanotime() > until)
            return 0;
    }
    return 1;
}

/* 60 ms or so, without a call. */
static void *answer(void *arg)
{
    for (int round = 1; round <= ROUNDS; round++) {
        while (asked < round)
            usleep(1000);
        for (volatile long n = 0; n < 150000000; n++)
            ;
        answered = round;
    }
    return arg;
}

int main(void)
{
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, answer, NULL) == 0);
    for (int round = 1; round <= ROUNDS; round++) {
        long before = nanotime();
        asked = round;
        printf("round %d %s\n", round, is_in_time(round) ? "in time" : "late");
        printf("took %ld ns\n", nanotime() - before);
        usleep(900000);
    }
    CHECK(pthread_join(thread, NULL) == 0);
    return guest_done();
}

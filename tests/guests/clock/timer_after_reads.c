/* A thread reads the clock until another is done, which takes longer in a replay. Then it sets a timer, which must
 * not come late.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_gettime, clone3, futex, getrandom
 * source: clocks, also by the vDSO; timers
 */
#include "guest.h"
#include "draws.h"

enum { DRAWS = 20000, MS = 1000000 };
static volatile int done;
static volatile int64_t due;

static int64_t now(void)
{
    struct timespec t;
    CHECK(!clock_gettime(CLOCK_MONOTONIC, &t));
    return t.tv_sec * 1000LL * MS + t.tv_nsec;
}

static void *look(void *unused)
{
    int64_t last = 0;
    while (!done)
        last = now();
    due = last + 10 * MS;
    return unused;
}

int main(void)
{
    pthread_t thread;
    CHECK(!pthread_create(&thread, NULL, look, NULL));
    unsigned char all = draw_often(DRAWS);
    done = 1;
    CHECK(!pthread_join(thread, NULL));
    CHECK(due - now() < 250 * MS);
    printf("drawn %d\n", all);
    return guest_done();
}

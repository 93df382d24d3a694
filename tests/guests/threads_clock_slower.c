/* A thread looks at the clock until another is done with what takes longer in a replay; a timer that it then sets is not for later
 * than what the other reads of the clock lets it come. */
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

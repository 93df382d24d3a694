/* A thread prints now and then that another is at work, which takes longer in a replay. It prints as often as
 * recorded.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_nanosleep, clone3, getrandom
 * source: sleeps and timeouts
 */
#include "guest.h"
#include "draws.h"

enum { DRAWS = 30000, NAP_US = 200000, MOST = 2 };
static volatile int done;

static void *draw(void *sum)
{
    *(unsigned char *)sum = draw_often(DRAWS);
    done = 1;
    return NULL;
}

int main(void)
{
    pthread_t thread;
    unsigned char sum = 0;
    int naps = 0;
    CHECK(!pthread_create(&thread, NULL, draw, &sum));
    do {
        usleep(NAP_US);
        if (naps++ < MOST)
            puts("at work");
        fflush(stdout);
    } while (!done);
    CHECK(!pthread_join(thread, NULL));
    printf("drawn %d\n", sum);
    return guest_done();
}

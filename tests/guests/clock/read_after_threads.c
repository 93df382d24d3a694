/* The first thread reads the clock while another talks to an external server. Afterwards it reads elsewhere, and
 * gets the value recorded for that place.
 *
 * run: racing, outside=servers
 * engine: native (threads)
 * shows: clock_gettime, clock_nanosleep, clone3, connect, socket
 * source: clocks, also by the vDSO; servers and clients outside the experiment
 */
#include "guest.h"
#include "outside.h"

static volatile int is_done;
static void *talk(void *f)
{
    hear_long(f);
    is_done = 1;
    return f;
}
static __attribute__((noinline)) long look(void)
{
    struct timespec now;
    volatile char much[3000];
    much[0] = 1;
    CHECK(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
    return now.tv_nsec + much[0];
}
int main(void)
{
    pthread_t thread;
    struct timespec now;
    long looks = 0;
    CHECK(pthread_create(&thread, NULL, talk, called()) == 0);
    do {                                  /* once at least, though the other may be done at once */
        usleep(500);
        looks += look() != 0;
    } while (!is_done);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
    printf("%s at %lld.%09ld\n", looks > 0 ? "looked" : "did not look", (long long)now.tv_sec, now.tv_nsec);
    return guest_done();
}

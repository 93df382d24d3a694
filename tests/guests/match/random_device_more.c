/* A thread reads a random device more often than recorded. It always gets bytes, and never the same.
 *
 * run: racing
 * engine: native (threads)
 * shows: clone3, futex, getrandom, openat, read
 * source: random bytes: getrandom, /dev/urandom, rdrand
 */
#include "guest.h"
#include "draws.h"

enum { ENOUGH = 2000, KEPT = 1 << 16, NEAR = 100 };
static _Atomic int done;
static uint64_t drawn[KEPT];
static void *draw(void *unused)
{
    int fd = open("/dev/urandom", O_RDONLY);
    CHECK(fd >= 0);
    for (int n = 0; !done && n < KEPT; n++) {
        CHECK(read(fd, &drawn[n], sizeof *drawn) == sizeof *drawn);
        for (int i = n > NEAR ? n - NEAR : 0; i < n; i++)
            CHECK(drawn[i] != drawn[n]);
    }
    return unused;
}
int main(void)
{
    pthread_t t;
    CHECK(pthread_create(&t, NULL, draw, NULL) == 0);
    draw_often(ENOUGH);
    done = 1;
    CHECK(pthread_join(t, NULL) == 0);
    return guest_done();
}

/* Threads read random bytes as often as they see a flag that another toggles. Then the first thread reads its own.
 *
 * run: racing
 * engine: native (threads)
 * shows: clone3, futex, getrandom
 * source: random bytes: getrandom, /dev/urandom, rdrand
 */
#include "guest.h"
#include <sys/random.h>

enum { LOOKS = 400, THREADS = 2 };

static volatile int flag, is_over;

static uint64_t drawn(void)
{
    uint64_t bytes[2];
    CHECK(getrandom(bytes, sizeof bytes, 0) == sizeof bytes);
    return bytes[0];
}

static void *toggle(void *unused)
{
    while (!is_over)
        flag = !flag;
    return unused;
}

static void *look(void *unused)
{
    drawn();
    for (int i = 0; i < LOOKS; i++) {
        for (volatile int k = 0; k < 300; k++) {
        }
        if (flag)
            drawn();
    }
    return unused;
}

int main(void)
{
    pthread_t toggling;
    CHECK(pthread_create(&toggling, NULL, toggle, NULL) == 0);
    run_threads(THREADS, look);
    is_over = 1;
    CHECK(pthread_join(toggling, NULL) == 0);
    for (int i = 0; i < 3; i++)
        printf("%016llx\n", (unsigned long long)drawn());
    return guest_done();
}

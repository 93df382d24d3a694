/* Children that share memory are killed before or after they read random bytes. Then their parent reads as many.
 *
 * run: racing
 * shows: clone, getrandom, kill, pause
 * source: random bytes: getrandom, /dev/urandom, rdrand; shared memory, mapped files
 */
#include "guest.h"
#include <sys/random.h>

enum { ROUNDS = 40, STEP = 15000 };
static uint64_t drawn(void)
{
    uint64_t bytes[4];
    CHECK(getrandom(bytes, sizeof bytes, 0) == sizeof bytes);
    return bytes[0];
}
int main(void)
{
    volatile uint64_t *shared = shared_page();
    for (int i = 0; i < ROUNDS; i++) {
        pid_t child = fork();
        if (child == 0) {
            *shared = drawn();
            for (;;)
                pause();
        }
        for (volatile int k = 0; k < i * STEP; k++) {
        }
        CHECK(kill(child, SIGTERM) == 0 && wait_for(child) == SIGTERM);
        printf("%d: %016llx\n", i, (unsigned long long)drawn());
    }
    return guest_done();
}

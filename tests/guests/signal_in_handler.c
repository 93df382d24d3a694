/* A signal that its own handler sends comes as that handler returns, and the program counts how many have come before it makes another call. */
#include "guest.h"
enum { ROUNDS = 5 };
static volatile sig_atomic_t came;

static void handler(int sig)
{
    if (++came % ROUNDS)
        CHECK(!raise(sig));
}

int main(void)
{
    CHECK(signal(SIGUSR1, handler) != SIG_ERR);
    for (int i = 1; i <= 3; i++) {
        CHECK(!raise(SIGUSR1));
        printf("%d have come\n", (int)came);
        fflush(stdout);
    }
    return guest_done();
}

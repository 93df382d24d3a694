/* A signal that its own handler sends is delivered as the handler returns. The program counts them before its next
 * call.
 *
 * shows: rt_sigaction, rt_sigreturn, tgkill
 * source: signals
 */
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

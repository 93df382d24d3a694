/* A thread's waits for a slow external server time out. What it does meanwhile comes before the answers.
 *
 * run: racing, outside=servers
 * engine: native (threads)
 * shows: clone3, connect, futex, poll, socket
 * source: servers and clients outside the experiment; sleeps and timeouts
 */
#include "guest.h"
#include "outside.h"

#include <poll.h>

enum { ROUNDS = 12 };

static void *work(void *unused)
{
    FILE *f = called();
    for (int round = 0; round < ROUNDS; round++) {
        struct pollfd p = {fileno(f), POLLIN, 0};
        char answer[64];
        int waits = 0;
        CHECK(fprintf(f, "late %d\n", round) > 0 && fflush(f) == 0);
        while (poll(&p, 1, 10) == 0)
            waits++;
        CHECK(fgets(answer, sizeof answer, f));
        printf("%d waits in vain for %s", waits, answer);
    }
    fclose(f);
    return unused;
}

int main(void)
{
    run_threads(1, work);
    return guest_done();
}

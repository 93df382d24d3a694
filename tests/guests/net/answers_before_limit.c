/* A runtime like Go's waits for a server's answer, with a limit. A replay skips the time until the answer, and not the
 * time until the limit. Where no answer came, it skips that time.
 *
 * run: racing, outside=servers, flags=-no-pie -fno-omit-frame-pointer -fno-asynchronous-unwind-tables
 * engine: native (threads)
 * shows: clock_gettime, clone3, poll, read, write
 * source: servers and clients outside the experiment; sleeps and timeouts
 */
#include "go.h"
#include "outside.h"

enum { ROUNDS = 6, LIMIT_MS = 1500 };

RUNTIME static int is_in_time(int fd, long limit_ms)
{
    struct pollfd p = {fd, POLLIN, 0};
    long until = nanotime() + limit_ms * MS, left;
    while ((left = until - nanotime()) > 0)
        if (poll(&p, 1, (int)(left / MS) + 1) == 1)
            return 1;
    return 0;
}

static void *ask(void *unused)
{
    char answer[64] = "";
    FILE *f = called();
    for (int round = 0; round < ROUNDS; round++) {
        CHECK(write(fileno(f), "late\n", 5) == 5);
        int in_time = is_in_time(fileno(f), LIMIT_MS);
        printf("round %d %s\n", round, in_time ? "in time" : "late");
        CHECK(in_time && read(fileno(f), answer, sizeof answer) > 0);
        printf("nothing more: %d\n", is_in_time(fileno(f), 100));
    }
    return unused;
}

int main(void)
{
    run_threads(1, ask);
    return guest_done();
}

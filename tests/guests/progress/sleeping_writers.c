/* Children write to one internal pipe, each after a sleep of another kind, again and again.
 *
 * run: racing
 * engine: native (order by sleeps)
 * shows: clock_nanosleep, clone, epoll_create1, epoll_wait, pipe2, poll, pselect6, read, wait4
 * source: sleeps and timeouts; pipes: sizes of reads, order of writers
 */
#include "guest.h"
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/wait.h>

enum { CHILDREN = 4, ROUNDS = 5, STEP_MS = 12 };

static void wait_ms(int way, int ms)
{
    struct timespec t = {ms / 1000, ms % 1000 * 1000000L};
    struct timeval v = {ms / 1000, ms % 1000 * 1000L};
    struct epoll_event e;
    switch (way) {
    case 0:
        CHECK(!nanosleep(&t, NULL));
        break;
    case 1:
        CHECK(!select(0, NULL, NULL, NULL, &v));
        break;
    case 2:
        CHECK(!poll(NULL, 0, ms));
        break;
    default: {
        int set = epoll_create1(0);
        CHECK(set >= 0 && !epoll_wait(set, &e, 1, ms));
        close(set);
    }
    }
}

static void child(int way, int out)
{
    wait_ms(way, 30 + STEP_MS * (way * 3 % CHILDREN));
    for (int round = 0; round < ROUNDS; round++) {
        volatile unsigned work = 0;
        char line[32];
        while (work < 2000000)
            work++;
        int n = snprintf(line, sizeof line, "child %d, round %d\n", way, round);
        CHECK(write(out, line, (size_t)n) == n);
        wait_ms(way, STEP_MS * CHILDREN);
    }
}

int main(void)
{
    int ends[2], n;
    char text[256];
    CHECK(!pipe(ends));
    for (int i = 0; i < CHILDREN; i++)
        if (!fork()) {
            child(i, ends[1]);
            _exit(0);
        }
    close(ends[1]);
    while ((n = (int)read(ends[0], text, sizeof text)) > 0)
        CHECK(write(1, text, (size_t)n) == n);
    for (int i = 0; i < CHILDREN; i++)
        wait(NULL);
    return guest_done();
}

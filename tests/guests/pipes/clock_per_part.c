/* A reader gets data in parts whose sizes depend on timing, and reads the clock for each. There are no threads.
 *
 * engine: native (sizes of pipe reads)
 * shows: clock_gettime, clock_nanosleep, clone, pipe2, read
 * source: pipes: sizes of reads, order of writers; clocks, also by the vDSO
 */
#include "guest.h"

enum { PIECES = 60, SIZE = 10 };
static double now_s(void)
{
    struct timespec t;
    CHECK(clock_gettime(CLOCK_MONOTONIC, &t) == 0);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void read_all(int from)
{
    char room[PIECES * SIZE];
    ssize_t n, all = 0;
    double began = now_s(), longest = 0;
    while ((n = read(from, room, sizeof room)) > 0) {
        all += n;
        longest = now_s() - began;
    }
    printf("%zd bytes, forward: %d\n", all, longest >= 0);
    _exit(0);
}

int main(void)
{
    int ends[2];
    CHECK(pipe(ends) == 0);
    pid_t child = fork();
    if (child == 0) {
        close(ends[1]);
        read_all(ends[0]);
    }
    for (int i = 0; i < PIECES; i++) {
        CHECK(write(ends[1], "0123456789", SIZE) == SIZE);
        nap_ms(1);
    }
    close(ends[1]);
    CHECK(wait_for(child) == 0);
    return guest_done();
}

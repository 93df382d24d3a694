/* Children write to one pipe on standard output, in racing order and several sizes. The parent passes on what it
 * reads.
 *
 * run: racing
 * engine: native (order between processes)
 * shows: clone, dup, dup2, pipe2, read, wait4
 * source: pipes: sizes of reads, order of writers
 */
#include "guest.h"

enum { CHILDREN = 4, LINES = 40 };

static void speak(int me)
{
    volatile unsigned work = 0;
    unsigned state = (unsigned)(me + 1) * 2654435761u;
    for (int i = 0; i < LINES; i++) {
        char line[128];
        state = state * 1664525 + 1013904223;
        for (unsigned k = 0; k < state >> 18; k++)
            work += k;
        int n = snprintf(line, sizeof line, "%d %d %.*s\n", me, i, (int)(state >> 27), "********************************");
        CHECK(write(1, line, (size_t)n) == n);
    }
}

int main(void)
{
    int ends[2], out = dup(1);
    char all[1 << 16];
    size_t used = 0;
    CHECK(!pipe(ends) && out > 2);
    for (int k = 0; k < CHILDREN; k++) {
        pid_t pid = fork();
        CHECK(pid >= 0);
        if (!pid) {
            CHECK(dup2(ends[1], 1) == 1 && !close(ends[0]) && !close(ends[1]));
            speak(k);
            return 0;
        }
    }
    CHECK(!close(ends[1]));
    for (ssize_t n; (n = read(ends[0], all + used, sizeof all - used)) > 0; )
        used += (size_t)n;
    for (size_t at = 0; at < used; ) {
        ssize_t n = write(out, all + at, used - at);
        CHECK(n > 0);
        at += (size_t)n;
    }
    for (int k = 0; k < CHILDREN; k++)
        CHECK(wait(NULL) > 0);
    return guest_done();
}

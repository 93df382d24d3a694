/* Reads the clock once for each read of a pipe, whose parts vary in size. Only now and then does it print the
 * time.
 *
 * run: racing
 * engine: native (sizes of pipe reads)
 * shows: clock_gettime, clone, pipe2, read, wait4
 * source: clocks, also by the vDSO; pipes: sizes of reads, order of writers
 */
#include "guest.h"

enum { LINES = 300, TOLD = 40 };

static struct timespec seen;

static void glance(void)
{
    CHECK(!clock_gettime(CLOCK_MONOTONIC, &seen));
}

static void tell(void)
{
    struct timespec ts;
    CHECK(!clock_gettime(CLOCK_MONOTONIC, &ts));
    printf("at %ld.%09ld\n", (long)ts.tv_sec, ts.tv_nsec);
    fflush(stdout);
}

static void speak(int out)
{
    volatile unsigned work = 0;
    for (int i = 0; i < LINES; i++) {
        char line[32];
        int n = snprintf(line, sizeof line, "line %d\n", i);
        CHECK(write(out, line, (size_t)n) == n);
        for (int k = 0; k < i * 7919 % 20011; k++)
            work++;
    }
}

int main(void)
{
    int ends[2], lines = 0;
    char part[4096];
    CHECK(!pipe(ends));
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (!pid) {
        speak(ends[1]);
        return 0;
    }
    CHECK(!close(ends[1]));
    for (ssize_t n; (n = read(ends[0], part, sizeof part)) > 0; ) {
        glance();
        for (ssize_t i = 0; i < n; i++)
            if (part[i] == '\n' && ++lines % TOLD == 0)
                tell();
    }
    CHECK(waitpid(pid, NULL, 0) == pid);
    printf("%d lines\n", lines);
    return guest_done();
}

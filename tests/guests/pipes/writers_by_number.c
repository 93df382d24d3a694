/* Children write to one pipe by its own number, in racing order, before and after their parent has had a thread.
 *
 * run: racing
 * engine: native (threads)
 * shows: clone, clone3, dup, pipe2, read, wait4
 * source: pipes: sizes of reads, order of writers
 */
#include "guest.h"

enum { CHILDREN = 4, LINES = 40 };

static void speak(int me, int to)
{
    volatile unsigned work = 0;
    unsigned state = (unsigned)(me + 1) * 2654435761u;
    for (int i = 0; i < LINES; i++) {
        char line[32];
        state = state * 1664525 + 1013904223;
        for (unsigned k = 0; k < state >> 18; k++)
            work += k;
        int n = snprintf(line, sizeof line, "%d %d\n", me, i);
        CHECK(write(to, line, (size_t)n) == n);
    }
}

static void hear(void)
{
    int ends[2];
    char all[1 << 14];
    size_t used = 0;
    CHECK(!pipe(ends));
    for (int k = 0; k < CHILDREN; k++) {
        pid_t pid = fork();
        CHECK(pid >= 0);
        if (!pid) {
            CHECK(!close(ends[0]));
            int to = k & 1 ? dup(ends[1]) : ends[1];      /* one end, two numbers */
            speak(k, to);
            _exit(0);
        }
    }
    CHECK(!close(ends[1]));
    for (ssize_t n; (n = read(ends[0], all + used, sizeof all - used)) > 0; )
        used += (size_t)n;
    CHECK(fwrite(all, 1, used, stdout) == used && !fflush(stdout));
    for (int k = 0; k < CHILDREN; k++)
        CHECK(wait(NULL) > 0);
}

static void *begin(void *unused)
{
    return unused;
}

int main(void)
{
    pthread_t thread;
    hear();
    CHECK(!pthread_create(&thread, NULL, begin, NULL) && !pthread_join(thread, NULL));
    hear();
    return guest_done();
}

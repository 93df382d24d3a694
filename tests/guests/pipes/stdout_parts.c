/* Passes on what it reads from a pipe, in the parts in which it was read.
 *
 * engine: native (sizes of pipe reads)
 * shows: clock_nanosleep, clone, pipe2, read
 * source: standard streams; pipes: sizes of reads, order of writers
 */
#include "guest.h"

static void pass_on(int from)
{
    char text[64];
    for (ssize_t n; (n = read(from, text, sizeof text)) > 0; )
        for (ssize_t done = 0; done < n; ) {
            ssize_t part = write(1, text + done, (size_t)(n - done));
            CHECK(part > 0);
            done += part;
        }
}
static void pipeline(long first_ms, long between_ms)
{
    int fds[2];
    CHECK(pipe(fds) == 0);
    pid_t writer = fork();
    if (writer == 0) {
        for (int i = 0; i < 3; i++) {
            if (i)
                nap_ms(between_ms);
            CHECK(write(fds[1], "one \n", 5) == 5);
        }
        _exit(0);
    }
    close(fds[1]);
    nap_ms(first_ms);
    pass_on(fds[0]);
    close(fds[0]);
    CHECK(wait_for(writer) == 0);
}
int main(void)
{
    pipeline(0, 20);                      /* a replay, which need not nap, has more at a time */
    pipeline(50, 0);                      /* and here less */
    return guest_done();
}

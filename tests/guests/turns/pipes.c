/* Several processes write to one pipe. What one read returns depends on who wrote before.
 *
 * run: racing, serialized
 * engine: native (--serialize)
 * shows: clock_nanosleep, clone, pipe2, read, wait4
 * source: order of threads, one at a time; pipes: sizes of reads, order of writers
 */
#include "guest.h"

enum { WRITERS = 4, ROUNDS = 60 };
int main(void)
{
    int fds[2], n, reads = 0;
    char text[100];
    CHECK(pipe(fds) == 0);
    for (int i = 0; i < WRITERS; i++)
        if (fork() == 0) {
            for (int k = 0; k < ROUNDS; k++) {
                n = snprintf(text, sizeof text, "%c%d\n", 'a' + i, k);
                CHECK(write(fds[1], text, (size_t)n) == n);
                if (k % 7 == i)
                    usleep(20);
            }
            _exit(0);
        }
    close(fds[1]);
    for (; (n = (int)read(fds[0], text, sizeof text)) > 0; reads++)
        printf("%d: %.*s\n", n, n, text);
    while (wait(NULL) > 0)
        ;
    printf("%d reads\n", reads);
    return guest_done();
}

/* Two processes write lines in turn. Their pipes decide the order.
 *
 * shows: clone, pipe2, read, write
 * source: standard streams; pipes: sizes of reads, order of writers
 */
#include "guest.h"

int main(void)
{
    int ping[2], pong[2];
    char byte = 'x';
    CHECK(pipe(ping) == 0 && pipe(pong) == 0);
    pid_t child = fork();
    for (int i = 0; i < 20; i++) {
        if (child) {
            printf("parent %d\n", i);
            CHECK(write(ping[1], &byte, 1) == 1 && read(pong[0], &byte, 1) == 1);
        } else {
            CHECK(read(ping[0], &byte, 1) == 1);
            printf("child %d\n", i);
            CHECK(write(pong[1], &byte, 1) == 1);
        }
    }
    if (child == 0)
        _exit(0);
    CHECK(wait_for(child) == 0);
    return guest_done();
}

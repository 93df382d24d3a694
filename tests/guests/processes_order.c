#include "guest.h"
/* Two processes write lines in turn, in an order that their pipes decide. */
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

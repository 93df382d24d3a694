#include "guest.h"
/* Several processes write into one pipe; what one read gets depends on who was there before. */
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

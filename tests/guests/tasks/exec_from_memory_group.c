/* A process that shares memory starts a program that shares none, and polls a pipe.
 *
 * run: racing
 * engine: native (processes that share memory)
 * shows: clock_nanosleep, clone, execve, pipe2, poll, read
 * source: fork, clone, exec; shared memory, mapped files
 */
#include "guest.h"
#include <poll.h>
#include <sys/mman.h>

static int listen_to(int fd)
{
    char text[8];
    struct pollfd ready = {fd, POLLIN, 0};
    for (int parts = 1; ; parts++) {
        CHECK(poll(&ready, 1, -1) == 1);
        ssize_t n = read(fd, text, sizeof text);
        CHECK(n >= 0);
        if (!n)
            return guest_done();
        printf("part %d: %.*s\n", parts, (int)n, text);
    }
}
int main(int argc, char **argv)
{
    int ends[2];
    char number[12];
    if (argc > 1)
        return listen_to(atoi(argv[1]));
    volatile int *shared = shared_page();
    CHECK(pipe(ends) == 0);
    pid_t child = fork();
    if (child == 0) {
        *shared = 1;
        close(ends[1]);
        snprintf(number, sizeof number, "%d", ends[0]);
        execl("/proc/self/exe", argv[0], number, (char *)NULL);
        _exit(1);
    }
    close(ends[0]);
    for (int i = 0; i < 12; i++) {
        CHECK(write(ends[1], "abcdefghijkl" + i, 1) == 1);
        nap_ms(i % 4 ? 0 : 2);
    }
    close(ends[1]);
    CHECK(wait_for(child) == 0 && *shared);
    return 0;
}

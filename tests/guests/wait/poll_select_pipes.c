/* Two children write to pipes. poll and select report which is ready, and that both ended.
 *
 * shows: clock_nanosleep, clone, pipe2, poll, pselect6, read
 * source: poll, select, epoll
 */
#include "guest.h"
#include <sys/select.h>

static pid_t start(int fds[2], int ms, const char *text)
{
    CHECK(pipe(fds) == 0);
    pid_t child = fork();
    if (child == 0) {
        for (const char *c = text; *c; c++) {
            nap_ms(ms);
            CHECK(write(fds[1], c, 1) == 1);
        }
        _exit(0);
    }
    close(fds[1]);
    return child;
}
int main(void)
{
    int a[2], b[2], open_count = 2;
    char all[2][8] = {"", ""}, c;
    pid_t first = start(a, 10, "abc"), second = start(b, 15, "xyz");
    struct pollfd set[2] = {{a[0], POLLIN, 0}, {b[0], POLLIN, 0}};
    while (open_count) {
        CHECK(poll(set, 2, -1) > 0);
        for (int i = 0; i < 2; i++)
            if (set[i].revents) {
                ssize_t size = read(set[i].fd, &c, 1);
                if (size == 1)
                    strncat(all[i], &c, 1);
                else {
                    set[i].fd = -1;
                    open_count--;
                }
            }
    }
    printf("%s %s\n", all[0], all[1]);
    CHECK(wait_for(first) == 0 && wait_for(second) == 0);
    pid_t third = start(a, 10, "q");
    fd_set ready;
    FD_ZERO(&ready);
    FD_SET(a[0], &ready);
    struct timeval limit = {5, 0};
    int count = select(a[0] + 1, &ready, NULL, NULL, &limit);
    printf("select %d %d, %ld.%06ld left\n", count, FD_ISSET(a[0], &ready) != 0, (long)limit.tv_sec,
           (long)limit.tv_usec);
    CHECK(read(a[0], &c, 1) == 1 && c == 'q' && wait_for(third) == 0);
    limit = (struct timeval){0, 10000};
    FD_ZERO(&ready);
    printf("select of nothing %d\n", select(0, &ready, NULL, NULL, &limit));
    return guest_done();
}

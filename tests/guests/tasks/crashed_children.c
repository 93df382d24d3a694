/* Children crash in sessions and groups of their own. The parent prints their statuses.
 *
 * shows: clone, getpgrp, getsid, ioctl, pipe2, prlimit64, read, setpgid, setsid, tgkill
 * source: ends and statuses of children; /proc and /sys
 */
#include "guest.h"

#include <sys/ioctl.h>
#include <sys/resource.h>

static void crash(int how)
{
    struct rlimit none = {0, 0};
    CHECK(!setrlimit(RLIMIT_CORE, &none));
    if (how == 0)
        abort();
    if (how == 1)
        __builtin_trap();
    *(volatile int *)16 = how;
}

int main(void)
{
    double load[3] = {-1, -1, -1};
    struct winsize size = {0};
    for (int how = 0; how < 3; how++) {
        int to_parent[2];
        CHECK(!pipe(to_parent));
        pid_t child = fork();
        if (child == 0) {
            pid_t ids[3] = {how == 1 ? setpgid(0, 0) : setsid(), getsid(0), getpgrp()};
            CHECK(write(to_parent[1], ids, sizeof ids) == sizeof ids);
            crash(how);
        }
        pid_t ids[3];
        CHECK(read(to_parent[0], ids, sizeof ids) == sizeof ids);
        int status = wait_for(child);
        printf("child %d: %d, session %d, group %d, ended by %s, core %d\n", (int)child, ids[0], ids[1], ids[2],
               strsignal(WTERMSIG(status)), WCOREDUMP(status) != 0);
    }
    CHECK(getloadavg(load, 3) == 3);
    printf("load %.2f %.2f %.2f\n", load[0], load[1], load[2]);
    int answer = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
    printf("window %d: %d x %d\n", answer, size.ws_col, size.ws_row);
    return guest_done();
}

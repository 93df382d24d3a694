/* A daemon in its own session outlives its parent and writes a file.
 *
 * shows: clock_nanosleep, clone, dup2, getpid, getsid, pipe2, read, setsid
 * source: process, thread, group and session ids; fork, clone, exec
 */
#include "guest.h"

int main(void)
{
    int fds[2];
    char text[64] = "";
    CHECK(pipe(fds) == 0);
    pid_t child = fork();
    if (child == 0) {
        CHECK(setsid() == getpid());
        if (fork())
            _exit(0);
        dprintf(fds[1], "daemon %d in session %d", getpid(), getsid(0));
        int null = open("/dev/null", O_RDWR);
        for (int fd = 0; fd < 3; fd++)
            dup2(null, fd);
        close(fds[1]);
        nap_ms(100);
        put_file("daemon.log", "the daemon lived on\n");
        _exit(0);
    }
    close(fds[1]);
    CHECK(wait_for(child) == 0 && read(fds[0], text, sizeof text - 1) > 0);
    puts(text);
    return guest_done();
}

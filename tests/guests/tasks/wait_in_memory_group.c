/* A process that shares memory by name polls and waits for each child, and checks whether a program that it
 * started lives.
 *
 * run: racing
 * engine: native (processes that share memory)
 * shows: clone, dup2, execve, getpid, pipe2, read, unlink, wait4
 * source: ends and statuses of children; shared memory, mapped files
 */
#include "guest.h"

enum { ROUNDS = 40, STEP = 20000 };
static int program(const char *name)
{
    char one;
    CHECK(read(0, &one, 1) == 0);
    pid_t child = fork();
    if (child == 0) {
        int fd = shm_open(name, O_RDWR, 0);
        _exit(fd < 0 || write(fd, "x", 1) != 1);
    }
    return wait_for(child) ? 1 : 7;
}
int main(int argc, char **argv)
{
    int ends[2], status, alive = 0;
    char name[64];
    if (argc > 1)
        return program(argv[1]);
    snprintf(name, sizeof name, "/rex-guest-%d", getpid());
    int fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    CHECK(fd >= 0 && pipe2(ends, O_CLOEXEC) == 0);
    pid_t child, started = fork();
    if (started == 0) {
        dup2(ends[0], 0);
        execl("/proc/self/exe", argv[0], name, (char *)NULL);
        _exit(1);
    }
    for (int i = 0; i < ROUNDS; i++) {
        if ((child = fork()) == 0)
            _exit(i);
        for (volatile int k = 0; k < i * STEP; k++) {
        }
        if (waitpid(child, &status, WNOHANG) == 0)
            status = wait_for(child);
        CHECK(WEXITSTATUS(status) == i);
        alive += waitpid(started, &status, WNOHANG) == 0;
    }
    close(ends[1]);
    status = wait_for(started);
    printf("alive %d, ended with %d\n", alive, WEXITSTATUS(status));
    CHECK(shm_unlink(name) == 0);
    return guest_done();
}

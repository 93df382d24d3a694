/* Opens /proc/PID/fd/N of another process, whose file is unlinked. Shared memory is passed so.
 *
 * engine: native (descriptors of other processes)
 * shows: clone, getpid, pipe2, pread64, pwrite64, read, unlink
 * source: /proc and /sys
 */
#include "guest.h"

int main(void)
{
    char name[64], text[32] = "";
    int go[2], fd = open("memory", O_RDWR | O_CREAT | O_EXCL, 0600);
    CHECK(fd >= 0 && unlink("memory") == 0 && pipe(go) == 0);
    CHECK(write(fd, "from the parent", 15) == 15);
    snprintf(name, sizeof name, "/proc/%d/fd/%d", getpid(), fd);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        close(fd);
        int other = open(name, O_RDWR);
        CHECK(other >= 0 && read(other, text, sizeof text - 1) == 15);
        CHECK(pwrite(other, "FROM", 4, 0) == 4);
        printf("the child reads: %s\n", text);
        exit(0);
    }
    CHECK(wait_for(child) == 0);
    CHECK(pread(fd, text, sizeof text - 1, 0) == 15);
    printf("the parent reads: %s\n", text);
    return guest_done();
}

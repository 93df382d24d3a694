/* fcntl(F_GETLK) returns the process that holds a lock.
 *
 * shows: clone, fcntl, getppid, openat
 * source: locks; process, thread, group and session ids
 */
#include "guest.h"

int main(void)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 5, .l_len = 7};
    int fd = open("lock", O_RDWR | O_CREAT, 0644);
    CHECK(fd >= 0 && fcntl(fd, F_SETLK, &lock) == 0);
    pid_t child = fork();
    if (child == 0) {
        struct flock asked = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        CHECK(fcntl(fd, F_GETLK, &asked) == 0);
        printf("bytes %ld to %ld held by %d\n", (long)asked.l_start, (long)asked.l_len, asked.l_pid);
        CHECK(asked.l_pid == getppid());
        _exit(0);
    }
    CHECK(wait_for(child) == 0);
    return guest_done();
}

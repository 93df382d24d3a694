/* Three kinds of file locks between two processes.
 *
 * shows: clock_nanosleep, clone, fcntl, flock, pipe2, read
 * source: locks
 */
#include "guest.h"
#include <sys/file.h>

static struct flock whole(int type) { return (struct flock){.l_type = type, .l_whence = SEEK_SET}; }
int main(void)
{
    int fd = open("lock", O_RDWR | O_CREAT, 0644), in = open("in.txt", O_RDONLY), go[2], back[2];
    char byte;
    struct flock lock = whole(F_WRLCK);
    CHECK(fd >= 0 && pipe(go) == 0 && pipe(back) == 0);
    CHECK(flock(fd, LOCK_EX) == 0 && fcntl(fd, F_SETLK, &lock) == 0);
    pid_t child = fork();
    if (child == 0) {
        int own = open("lock", O_RDWR);
        struct flock asked = whole(F_WRLCK);
        printf("flock %d %s\n", flock(own, LOCK_EX | LOCK_NB), strerror(errno));
        CHECK(fcntl(own, F_GETLK, &asked) == 0);
        printf("held, type %d\n", asked.l_type);
        asked = whole(F_WRLCK);
        printf("fcntl %d %s\n", fcntl(own, F_SETLK, &asked), strerror(errno));
        CHECK(write(back[1], "b", 1) == 1 && read(go[0], &byte, 1) == 1);
        CHECK(fcntl(own, F_SETLKW, &asked) == 0 && flock(own, LOCK_EX) == 0 && write(own, "child\n", 6) == 6);
        _exit(0);
    }
    CHECK(read(back[0], &byte, 1) == 1 && write(fd, "parent first\n", 13) == 13 && write(go[1], "g", 1) == 1);
    nap_ms(20);
    lock = whole(F_UNLCK);
    CHECK(fcntl(fd, F_SETLK, &lock) == 0 && flock(fd, LOCK_UN) == 0 && wait_for(child) == 0);
    lock = whole(F_RDLCK);
    CHECK(fcntl(in, F_OFD_SETLK, &lock) == 0 && flock(in, LOCK_SH) == 0 && lockf(fd, F_TEST, 0) == 0);
    show_file("lock");
    return guest_done();
}

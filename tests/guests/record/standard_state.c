/* The state of descriptors 0, 1 and 2 as the program finds it: closed or open, access mode, position and size.
 * It goes into the file "state", with the number that the next open gets.
 *
 * run: no-token
 * shows: fcntl, lseek
 * source: standard streams
 */
#include "guest.h"

static void state_of(FILE *f, int fd)
{
    struct stat st = {0};
    char c[3];
    fprintf(f, "%d: flags %x", fd, fcntl(fd, F_GETFL));
    fprintf(f, " position %d", (int)lseek(fd, 0, SEEK_CUR));
    fprintf(f, " stat %d mode %o size %d", fstat(fd, &st), st.st_mode, S_ISREG(st.st_mode) ? (int)st.st_size : 0);
    if (S_ISREG(st.st_mode)) {
        fprintf(f, " read %d %m", (int)read(fd, c, sizeof c));
        fprintf(f, " write %d %m", (int)write(fd, "line\n", 5));
    }
    fprintf(f, " then %d\n", (int)lseek(fd, 0, SEEK_CUR));
}

int main(void)
{
    int first = open("in.txt", O_RDONLY), made = open("state", O_WRONLY | O_CREAT | O_TRUNC, 0644), high = fcntl(made, F_DUPFD, 10);
    FILE *f = fdopen(high, "w");
    CHECK(f && !close(first) && !close(made));
    for (int fd = 0; fd < 3; fd++)
        state_of(f, fd);
    for (int fd = 1; fd < 3; fd++) {
        struct stat one, other;
        if (!fstat(fd - 1, &one) && !fstat(fd, &other))
            fprintf(f, "%d is %d: %d\n", fd, fd - 1, one.st_ino == other.st_ino);
    }
    fprintf(f, "numbers %d and %d\n", first, made);
    CHECK(!fclose(f));
    return guest_done();
}

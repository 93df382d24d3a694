/* Modes of files by umask, open, chmod and for other users.
 *
 * live: no (the archive has only the size of a link that it never reads)
 * shows: chmod, creat, fchmod, fchmodat, link, mkdir, mknodat, newfstatat, umask, unlink
 * source: inodes, sizes, times and modes of files
 */
#include "guest.h"

static void show(const char *path)
{
    struct stat s;
    CHECK(lstat(path, &s) == 0);
    printf("%s: %o\n", path, s.st_mode);
}
int main(void)
{
    printf("umask was %o\n", umask(027));
    CHECK(close(open("a", O_CREAT | O_WRONLY, 0666)) == 0 && mkdir("d", 0777) == 0);
    umask(0);
    CHECK(close(creat("b", 0777)) == 0 && mkdir("e", 01777) == 0 && mkfifo("fifo", 0622) == 0);
    umask(0777);
    CHECK(close(open("c", O_CREAT | O_WRONLY, 0666)) == 0);
    umask(022);
    int fd = open("read-only", O_CREAT | O_RDWR, 0444);
    CHECK(fd >= 0 && write(fd, "may write", 9) == 9 && chmod("in.txt", 0640) == 0 && fchmod(fd, 0400) == 0);
    CHECK(chmod("tool.sh", 04755) == 0 && fchmodat(AT_FDCWD, "data/a.txt", 0, 0) == 0);
    CHECK(link("data/b.txt", "hard") == 0 && chmod("hard", 0600) == 0);
    const char *names[] = {"a", "b", "c", "d", "e", "fifo", "read-only", "in.txt", "tool.sh", "data/a.txt",
                           "data/b.txt", "link"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        show(names[i]);
    CHECK(unlink("fifo") == 0 && chmod("data/a.txt", 0644) == 0 && chmod("d", 0755) == 0);
    return guest_done();
}

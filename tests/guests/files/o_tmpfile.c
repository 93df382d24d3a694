/* Makes files without a name, and gives one of them a name.
 *
 * live: yes
 * shows: execve, linkat, newfstatat, pread64
 * source: names, renames, files without a name
 */
#include "guest.h"

int main(void)
{
    char path[64], text[16] = "";
    int fd = open(".", O_TMPFILE | O_RDWR, 0640), other = open("data", O_TMPFILE | O_WRONLY, 0600);
    if (fd < 0 && errno == EOPNOTSUPP) {
        puts("this file system has none");
        return guest_done();
    }
    CHECK(fd >= 0 && other >= 0 && write(fd, "nameless", 8) == 8 && write(other, "lost", 4) == 4);
    struct stat s;
    CHECK(fstat(fd, &s) == 0 && pread(fd, text, 15, 0) == 8);
    printf("%s: %ld bytes, links %ld, mode %o\n", text, (long)s.st_size, (long)s.st_nlink, s.st_mode);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    CHECK(linkat(AT_FDCWD, path, AT_FDCWD, "named", AT_SYMLINK_FOLLOW) == 0);
    CHECK(write(fd, " no more", 8) == 8 && fstat(fd, &s) == 0);
    printf("links %ld\n", (long)s.st_nlink);
    show_file("named");
    return guest_done();
}

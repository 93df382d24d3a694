/* Uses names relative to open directories, and changes the working directory.
 *
 * live: yes
 * shows: chdir, faccessat2, fchdir, fchmodat, getcwd, linkat, mkdirat, readlinkat, renameat, symlinkat
 * source: names, renames, files without a name
 */
#include "guest.h"

int main(void)
{
    char text[64] = "";
    struct stat s;
    int top = open(".", O_PATH | O_DIRECTORY), data = open("data", O_RDONLY | O_DIRECTORY), fd;
    CHECK(top >= 0 && data >= 0 && chdir("/") == 0);
    CHECK((fd = openat(data, "a.txt", O_RDONLY)) >= 0 && read(fd, text, sizeof text) == 11);
    printf("%s", text);
    CHECK(fstatat(data, "sub/c.txt", &s, 0) == 0 && faccessat(data, "none", F_OK, 0) == -1);
    printf("%ld bytes\n", (long)s.st_size);
    CHECK(mkdirat(data, "made", 0750) == 0);
    CHECK((fd = openat(data, "made/file", O_WRONLY | O_CREAT, 0644)) >= 0 && write(fd, "made\n", 5) == 5);
    CHECK(linkat(data, "made/file", data, "hard", 0) == 0 && symlinkat("made/file", data, "soft") == 0);
    ssize_t size = readlinkat(data, "soft", text, sizeof text);
    printf("link to %.*s\n", (int)size, text);
    CHECK(renameat(data, "b.txt", data, "made/b.txt") == 0 && fchmodat(data, "hard", 0600, 0) == 0);
    CHECK(unlinkat(data, "a.txt", 0) == 0 && unlinkat(data, "sub/c.txt", 0) == 0);
    CHECK(unlinkat(data, "sub", AT_REMOVEDIR) == 0);
    CHECK(fchdir(data) == 0);
    show_file("soft");
    CHECK(getcwd(text, sizeof text) || errno == ERANGE);
    CHECK((fd = openat(AT_FDCWD, "../in.txt", O_RDONLY)) >= 0 && read(fd, text, 4) == 4);
    printf("above: %.4s", text);
    CHECK(fchdir(top) == 0 && chdir("data/made") == 0 && chdir("..") == 0);
    show_file("made/b.txt");
    struct timespec times[2] = {{1000, 5}, {2000, 7}};
    CHECK(utimensat(AT_FDCWD, "hard", times, 0) == 0 && fstatat(data, "made/file", &s, 0) == 0);
    printf("mode %o links %ld at %ld.%ld\n", s.st_mode, (long)s.st_nlink, (long)s.st_mtim.tv_sec, s.st_mtim.tv_nsec);
    return guest_done();
}

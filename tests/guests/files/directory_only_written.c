/* Writes to a directory that it never lists, and fills a deep one that it makes.
 *
 * live: yes
 * shows: mkdir, pwrite64, rmdir, truncate
 * source: names, renames, files without a name
 */
#include "guest.h"

int main(void)
{
    put_file("data/sub/output", "into a directory that was there");
    CHECK(mkdir("new", 0755) == 0 && mkdir("new/er", 0700) == 0 && mkdir("new/est", 0711) == 0);
    put_file("new/er/file", "deep");
    CHECK(mkdir("empty", 0755) == 0 && mkdir("gone", 0755) == 0 && rmdir("gone") == 0);
    int fd = open("log", O_WRONLY | O_CREAT | O_APPEND, 0600);
    CHECK(write(fd, "one ", 4) == 4 && close(fd) == 0);
    fd = open("log", O_WRONLY | O_APPEND);
    CHECK(write(fd, "two", 3) == 3 && close(fd) == 0);
    CHECK(truncate("in.txt", 5) == 0 && truncate("data/b.txt", 20) == 0);
    fd = open("data/a.txt", O_WRONLY);
    CHECK(pwrite(fd, "FIRST", 5, 0) == 5);
    return guest_done();
}

/* Renames files and directories: over others, exchanged, and while open.
 *
 * live: yes
 * shows: access, mkdir, read, rename, renameat2
 * source: names, renames, files without a name
 */
#include "guest.h"

int main(void)
{
    char text[32] = "";
    CHECK(rename("in.txt", "moved.txt") == 0 && access("in.txt", F_OK) == -1);
    show_file("moved.txt");
    int fd = open("data/a.txt", O_RDONLY);
    CHECK(rename("data/b.txt", "data/a.txt") == 0);
    CHECK(read(fd, text, sizeof text - 1) == 11);
    printf("still open: %s", text);
    show_file("data/a.txt");
    CHECK(rename("data", "folder") == 0 && mkdir("data", 0700) == 0);
    show_file("folder/sub/c.txt");
    show_file("data/a.txt");
    put_file("data/new.txt", "new");
    CHECK(renameat2(AT_FDCWD, "data", AT_FDCWD, "folder", RENAME_EXCHANGE) == 0);
    show_file("data/a.txt");
    show_file("folder/new.txt");
    CHECK(renameat2(AT_FDCWD, "moved.txt", AT_FDCWD, "data/a.txt", RENAME_NOREPLACE) == -1 && errno == EEXIST);
    CHECK(renameat2(AT_FDCWD, "moved.txt", AT_FDCWD, "data/z.txt", RENAME_NOREPLACE) == 0);
    CHECK(rename("data", "data/inside") == -1 && errno == EINVAL);
    CHECK(rename("folder", "data") == -1 && errno == ENOTEMPTY);
    for (int i = 0; i < 5; i++) {
        put_file("tmp", i % 2 ? "odd" : "even");
        CHECK(rename("tmp", "result") == 0);
    }
    show_file("result");
    CHECK(rename("link", "data/link") == 0 && access("data/link", F_OK) == -1);
    CHECK(rename("data/sub", "sub") == 0 && rename("data/z.txt", "sub/c.txt") == 0);
    show_file("sub/c.txt");
    return guest_done();
}

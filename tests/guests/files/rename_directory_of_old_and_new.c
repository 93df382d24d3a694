/* A renamed directory takes along what was made in it, and the old names can be made again.
 *
 * shows: access, mkdir, read, rename, unlink
 * source: names, renames, files without a name
 */
#include "guest.h"

int main(void)
{
    int fd = open("data/new.txt", O_WRONLY | O_CREAT | O_EXCL, 0600);
    CHECK(fd >= 0 && write(fd, "made here\n", 10) == 10 && close(fd) == 0);
    CHECK(mkdir("data/inner", 0700) == 0);
    fd = open("data/inner/deep", O_WRONLY | O_CREAT | O_EXCL, 0640);
    CHECK(fd >= 0 && close(fd) == 0);
    CHECK(rename("data", "moved") == 0);
    CHECK(access("data/new.txt", F_OK) < 0);
    fd = open("moved/new.txt", O_RDONLY);
    char text[32] = "";
    CHECK(fd >= 0 && read(fd, text, sizeof text) == 10);
    printf("%s", text);
    CHECK(unlink("moved/a.txt") == 0);
    return guest_done();
}

/* Opens a plain file as a directory, twice. The fast path must not answer the second open with what it kept for
 * the first.
 *
 * shows: close, newfstatat, openat, read, write
 * source: names, renames, files without a name
 */
#include "guest.h"

int main(void)
{
    char text[16];
    struct stat st;
    for (int i = 0; i < 100; i++)
        CHECK(stat("in.txt", &st) == 0 && close(open("in.txt", O_RDONLY)) == 0);
    for (int i = 0; i < 5; i++) {
        snprintf(text, sizeof text, "made%d", i);
        int fd = open(text, O_WRONLY | O_CREAT, 0600);
        CHECK(write(fd, text, 5) == 5 && close(fd) == 0);
        CHECK(open(text, O_PATH | O_DIRECTORY | O_NOFOLLOW) == -1 && errno == ENOTDIR);
        fd = open(text, O_RDONLY | O_NOFOLLOW);
        CHECK(fd >= 0 && read(fd, text, sizeof text) == 5 && close(fd) == 0);
        printf("%.5s\n", text);
    }
    return guest_done();
}

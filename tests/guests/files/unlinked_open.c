/* Files that are removed while open remain usable. Their names are used for new files.
 *
 * live: yes
 * shows: mkdir, newfstatat, pread64, read, readlink, rmdir, unlink
 * source: names, renames, files without a name
 */
#include "guest.h"

int main(void)
{
    char text[32] = "";
    struct stat s;
    int in = open("in.txt", O_RDWR), made = open("made", O_RDWR | O_CREAT, 0644);
    CHECK(in >= 0 && made >= 0 && unlink("in.txt") == 0 && unlink("made") == 0);
    CHECK(read(in, text, 14) == 14 && fstat(in, &s) == 0);
    printf("%slinks %ld\n", text, (long)s.st_nlink);
    CHECK(write(in, "more", 4) == 4 && write(made, "ghost", 5) == 5 && pread(made, text, 5, 0) == 5);
    printf("%.5s\n", text);
    put_file("made", "second life");
    CHECK(pread(made, text, 32, 0) == 5);
    show_file("made");
    show_file("in.txt");
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", in);
    ssize_t size = readlink(path, text, sizeof text);
    printf("name ends in (deleted): %d\n", size > 0);
    CHECK(mkdir("dir", 0755) == 0);
    int dir = open("dir", O_RDONLY);
    CHECK(rmdir("dir") == 0 && openat(dir, "x", O_WRONLY | O_CREAT, 0644) == -1 && errno == ENOENT);
    return guest_done();
}

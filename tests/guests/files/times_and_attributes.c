/* Sets times of files and compares them as make does, and uses extended attributes where they exist.
 *
 * live: yes
 * shows: getxattr, newfstatat, openat, setxattr, utimensat
 * source: inodes, sizes, times and modes of files
 */
#include "guest.h"
#include <sys/xattr.h>

int main(void)
{
    struct stat s, t;
    struct timeval times[2] = {{1000000, 0}, {2000000, 500}};
    CHECK(stat("in.txt", &s) == 0);
    printf("input of %ld\n", (long)s.st_mtim.tv_sec);
    put_file("older", "x");
    CHECK(utimes("older", times) == 0 && stat("older", &t) == 0);
    printf("set to %ld.%09ld\n", (long)t.st_mtim.tv_sec, t.st_mtim.tv_nsec);
    put_file("newer", "y");
    CHECK(stat("newer", &s) == 0);
    printf("newer than the input %d, than older %d\n", s.st_mtim.tv_sec > 1000000000, s.st_mtim.tv_sec > t.st_mtim.tv_sec);
    struct timespec now_and_omit[2] = {{0, UTIME_NOW}, {0, UTIME_OMIT}};
    CHECK(utimensat(AT_FDCWD, "older", now_and_omit, 0) == 0 && stat("older", &t) == 0);
    printf("accessed %ld, still %ld\n", (long)t.st_atim.tv_sec, (long)t.st_mtim.tv_sec);
    CHECK(lutimes("link", times) == 0 && lstat("link", &t) == 0);
    printf("link of %ld\n", (long)t.st_mtim.tv_sec);
    char text[16] = "";
    int set = setxattr("newer", "user.note", "remark", 6, 0);
    ssize_t size = set ? -1 : getxattr("newer", "user.note", text, sizeof text);
    printf("attribute %d: %zd %s\n", set, size, text);
    printf("none: %zd %s\n", getxattr("in.txt", "user.none", text, sizeof text), strerror(errno));
    return guest_done();
}

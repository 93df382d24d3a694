/* Lists directories in a loop, so that the fast path answers: large ones, from the middle, into small buffers, and
 * removed ones.
 *
 * shows: getdents64, lseek, mkdir, openat, rmdir
 * source: directory order
 */
#include "guest.h"

enum { FILES = 700 };

static unsigned long list(DIR *dir)
{
    unsigned long hash = 5381, count = 0;
    struct dirent *entry;
    while ((entry = readdir(dir)))
        for (const char *p = entry->d_name; count += !*p, *p; p++)
            hash = hash * 33 + (unsigned char)*p;
    return hash ^ count << 48;
}

int main(void)
{
    CHECK(mkdir("many", 0755) == 0);
    for (int i = 0; i < FILES; i++) {
        char name[64];
        snprintf(name, sizeof name, "many/a rather long name of file number %d", i * 7919 % 100003);
        put_file(name, "x");
    }
    DIR *dir = opendir("many");
    CHECK(dir);
    for (int i = 0; i < 40; i++) {
        rewinddir(dir);
        for (int skip = 0; skip < i; skip++)
            readdir(dir);
        long here = telldir(dir);
        printf("%d: from %ld: %lx\n", i, here, list(dir));
        seekdir(dir, here);
        struct dirent *entry = readdir(dir);
        printf("there again: %s\n", entry ? entry->d_name : "nothing");
    }
    char small[64];
    int fd = dirfd(dir);
    for (int i = 0; i < 30; i++) {
        CHECK(lseek(fd, 0, SEEK_SET) == 0);
        long n = syscall(SYS_getdents64, fd, small, sizeof small);
        printf("little room: %ld\n", n < 0 ? -(long)errno : n);
    }
    closedir(dir);
    CHECK(mkdir("gone", 0755) == 0);
    dir = opendir("gone");
    CHECK(dir && rmdir("gone") == 0);
    for (int i = 0; i < 30; i++) {
        long n = syscall(SYS_getdents64, dirfd(dir), small, sizeof small);
        printf("gone: %ld\n", n < 0 ? -(long)errno : n);
    }
    return guest_done();
}

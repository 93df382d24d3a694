/* Prints inode numbers, times, sizes and link counts, by every form of stat.
 *
 * live: yes
 * shows: link, newfstatat, openat, unlink, write
 * source: inodes, sizes, times and modes of files
 */
#include "guest.h"

static void show(const char *what, const struct stat *s)
{
    printf("%s: device %lx inode %lu links %lu mode %o size %ld blocks %ld of %ld at %ld.%09ld %ld.%09ld %ld.%09ld\n",
           what, (long)s->st_dev, (long)s->st_ino, (long)s->st_nlink, s->st_mode, (long)s->st_size,
           (long)s->st_blocks, (long)s->st_blksize, (long)s->st_atim.tv_sec, s->st_atim.tv_nsec,
           (long)s->st_mtim.tv_sec, s->st_mtim.tv_nsec, (long)s->st_ctim.tv_sec, s->st_ctim.tv_nsec);
}
int main(void)
{
    struct stat s, again;
    const char *names[] = {"in.txt", "data", "link", "/", "/dev/null", "."};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        CHECK(stat(names[i], &s) == 0);
        show(names[i], &s);
        CHECK(lstat(names[i], &s) == 0);
        show(names[i], &s);
    }
    int fd = open("in.txt", O_RDONLY);
    CHECK(fstat(fd, &s) == 0 && stat("in.txt", &again) == 0 && s.st_ino == again.st_ino);
    show("descriptor", &s);
    put_file("made", "new");
    fd = open("made", O_RDWR);
    CHECK(fstat(fd, &s) == 0);
    show("made", &s);
    CHECK(link("made", "second") == 0 && write(fd, "longer text", 11) == 11 && fstat(fd, &again) == 0);
    show("linked", &again);
    CHECK(s.st_ino == again.st_ino && again.st_nlink == 2 && again.st_size == 11);
    CHECK(stat("second", &s) == 0 && s.st_ino == again.st_ino && s.st_dev == again.st_dev);
    CHECK(unlink("second") == 0 && fstat(fd, &s) == 0);
    show("unlinked", &s);
    return guest_done();
}

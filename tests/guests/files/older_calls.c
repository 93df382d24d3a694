/* Makes the older calls about files that the C library no longer makes, by number.
 *
 * shows: access, faccessat, fchownat, futimesat, getdents, lchown, lstat, mknod, open, stat, ustat, utime, utimes
 * source: inodes, sizes, times and modes of files; names, renames, files without a name
 */
#include "calls.h"
#include <utime.h>

struct old_entry { unsigned long inode, offset; unsigned short size; char name[]; };

static void show(const char *path)
{
    struct stat s;
    if (CALL(SYS_lstat, path, &s) == 0)
        printf("%s: mode %o size %ld read %ld changed %ld.%09ld owner %d inode %lu\n", path, s.st_mode, (long)s.st_size, (long)s.st_atim.tv_sec,
               (long)s.st_mtim.tv_sec, s.st_mtim.tv_nsec, (int)s.st_uid, (unsigned long)s.st_ino);
}

int main(void)
{
    struct stat s;
    struct utimbuf old = {1000, 2000};
    struct timeval times[2] = {{3000, 4}, {5000, 6}};
    _Alignas(struct old_entry) char listing[4096];
    int fd = (int)CALL(SYS_open, "made", O_CREAT | O_RDWR, 0640);
    CHECK(fd >= 0 && write(fd, "text", 4) == 4);
    CALL(SYS_utime, "made", &old);
    show("made");
    CALL(SYS_utimes, "made", times);
    show("made");
    CALL(SYS_futimesat, AT_FDCWD, "made", NULL);
    CALL(SYS_futimesat, AT_FDCWD, "made", times);
    show("made");
    CALL(SYS_mknod, "fifo", S_IFIFO | 0600, 0);
    show("fifo");
    CALL(SYS_mknod, "socket", S_IFSOCK | 0600, 0);
    show("socket");
    CALL(SYS_mknod, "plain", S_IFREG | 0644, 0);
    show("plain");
    CALL(SYS_lchown, "link", getuid(), getgid());
    CALL(SYS_fchownat, AT_FDCWD, "made", getuid(), -1, 0);
    CALL(SYS_fchownat, fd, "", getuid(), getgid(), AT_EMPTY_PATH);
    CALL(SYS_access, "made", R_OK);
    CALL(SYS_access, "none", F_OK);
    CALL(SYS_faccessat, AT_FDCWD, "fifo", W_OK);
    CHECK(CALL(SYS_stat, "link", &s) == 0);
    printf("link: size %ld links %lu\n", (long)s.st_size, (unsigned long)s.st_nlink);
    char info[64] = "";
    CALL(SYS_ustat, (unsigned)s.st_dev, info);
    int directory = (int)CALL(SYS_open, "data", O_RDONLY | O_DIRECTORY);
    for (long size; (size = CALL(SYS_getdents, directory, listing, sizeof listing)) > 0;)
        for (long at = 0; at < size;) {
            struct old_entry *e = (struct old_entry *)(listing + at);
            printf("  %s type %d inode %lu\n", e->name, listing[at + e->size - 1], e->inode);
            at += e->size;
        }
    return guest_done();
}

/* Makes newer calls without libc: openat2, statx, faccessat2, close_range.
 *
 * live: yes
 * shows: close_range, faccessat2, openat, openat2, read, statx
 * source: names, renames, files without a name; inodes, sizes, times and modes of files
 */
#include "guest.h"
#include <linux/openat2.h>

static long openat2(int dir, const char *path, uint64_t flags, uint64_t resolve)
{
    struct open_how how = {.flags = flags, .resolve = resolve};
    return syscall(SYS_openat2, dir, path, &how, sizeof how);
}
int main(void)
{
    char text[16] = "";
    int data = open("data", O_PATH);
    long fd = openat2(data, "sub/c.txt", O_RDONLY, RESOLVE_BENEATH);
    CHECK(fd >= 0 && read(fd, text, 10) == 10);
    printf("%s\n", text);
    CHECK(openat2(data, "../in.txt", O_RDONLY, RESOLVE_BENEATH) == -1);
    printf("above: %s\n", strerror(errno));
    CHECK(openat2(AT_FDCWD, "link", O_RDONLY, RESOLVE_NO_SYMLINKS) == -1);
    printf("link: %s\n", strerror(errno));
    CHECK((fd = openat2(AT_FDCWD, "link", O_RDONLY, 0)) >= 0 && read(fd, text, 3) == 3);
    printf("%.3s\n", text);
    struct statx x;
    const char *names[] = {"in.txt", "link", "data", "none"};
    for (int i = 0; i < 4; i++) {
        if (syscall(SYS_statx, AT_FDCWD, names[i], AT_SYMLINK_NOFOLLOW, STATX_ALL, &x)) {
            printf("%s: %s\n", names[i], strerror(errno));
            continue;
        }
        printf("%s: inode %lu mode %o size %lu links %u device %u:%u born %ld changed %ld.%09u mount %lu\n", names[i],
               (long)x.stx_ino, x.stx_mode, (long)x.stx_size, x.stx_nlink, x.stx_dev_major, x.stx_dev_minor,
               (long)x.stx_btime.tv_sec, (long)x.stx_mtime.tv_sec, x.stx_mtime.tv_nsec, (long)x.stx_mnt_id);
    }
    CHECK(syscall(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_SIZE, &x) == 0);
    printf("descriptor: %lu bytes\n", (long)x.stx_size);
    printf("may read %ld\n", syscall(SYS_faccessat2, AT_FDCWD, "in.txt", R_OK, AT_EACCESS));
    CHECK(syscall(SYS_close_range, fd, fd + 10, 0) == 0 && read(fd, text, 1) == -1 && errno == EBADF);
    return guest_done();
}

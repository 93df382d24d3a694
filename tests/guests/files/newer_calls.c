/* Makes calls about files that are newer than many kernels, or seldom used, by number.
 *
 * shows: cachestat, fchmodat2, file_getattr, file_setattr, fremovexattr, listxattrat, lremovexattr, lsetxattr, preadv2, pwritev, pwritev2, readahead, removexattr, removexattrat, setxattrat, sync, sync_file_range, syncfs
 * source: inodes, sizes, times and modes of files; large reads and writes, copies inside the kernel
 */
#include "calls.h"
#include <sys/uio.h>
#include <sys/xattr.h>

int main(void)
{
    char text[8] = "", names[256] = "";
    struct iovec to[2] = {{"one ", 4}, {"two", 3}}, from = {text, 7};
    uint64_t range[2] = {0, 0}, state[5] = {0}, attribute[3] = {0};
    struct { uint64_t value; uint32_t size, flags; } given = {(uint64_t)(uintptr_t)"v", 1, 0};
    int fd = open("made", O_RDWR | O_CREAT, 0644);
    CHECK(fd >= 0);
    CALL(SYS_pwritev, fd, to, 2, 0, 0);
    CALL(SYS_pwritev2, fd, to, 2, 7, 0, 0);
    CALL(SYS_preadv2, fd, &from, 1, 4, 0, 0);
    printf("read \"%s\"\n", text);
    CALL(SYS_readahead, fd, 0L, 4096L);
    CALL(SYS_sync_file_range, fd, 0L, 4096L, 0);
    CALL(SYS_syncfs, fd);
    CALL(SYS_sync);
    CALL(NR_fchmodat2, AT_FDCWD, "made", 0600, 0);
    CALL(NR_cachestat, fd, range, state, 0);
    CALL(SYS_lsetxattr, "made", "user.one", "1", 1L, 0);
    CALL(SYS_setxattr, "made", "user.two", "2", 1L, 0);
    CALL(SYS_fsetxattr, fd, "user.three", "3", 1L, 0);
    CALL(NR_setxattrat, AT_FDCWD, "made", 0, "user.four", &given, sizeof given);
    CALL(NR_listxattrat, AT_FDCWD, "made", 0, names, sizeof names);
    CALL(SYS_lremovexattr, "made", "user.one");
    CALL(SYS_removexattr, "made", "user.two");
    CALL(SYS_fremovexattr, fd, "user.three");
    CALL(NR_removexattrat, AT_FDCWD, "made", 0, "user.four");
    CALL(NR_file_getattr, AT_FDCWD, "made", attribute, sizeof attribute, 0);
    CALL(NR_file_setattr, AT_FDCWD, "made", attribute, sizeof attribute, 0);
    return guest_done();
}

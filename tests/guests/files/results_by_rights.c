/* Calls that run for real, but whose result depends on rights, flags or the file system: a replay gives back what they came to.
 *
 * live: no (the blocks of an input lie elsewhere)
 * engine: native (results by rights)
 * shows: prctl, mlock, mlock2, mlockall, munlock, munlockall, lseek, fallocate, ioctl, mmap, fcntl, setsockopt, getsockopt, timerfd_create
 * source: rights, flags and space of file systems
 */
#include "guest.h"

#include <linux/fiemap.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>

enum { BLOCK = 4096, LARGE = 64 << 20 };

static void show(const char *name, long result)
{
    printf("%s: %ld, %d\n", name, result, result < 0 ? errno : 0);
}

static void rights(void)
{
    char *memory = mmap(NULL, LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    show("capability", prctl(PR_CAPBSET_READ, 12));
    show("drops it", prctl(PR_CAPBSET_DROP, 12));
    show("capability", prctl(PR_CAPBSET_READ, 12));
    show("sets bits", prctl(PR_SET_SECUREBITS, 0x10));
    show("bits", prctl(PR_GET_SECUREBITS));
    show("mlockall", mlockall(MCL_CURRENT));
    CHECK(munlockall() == 0);
    show("mlock", mlock(memory, LARGE));
    show("mlock2", mlock2(memory, LARGE, MLOCK_ONFAULT));
    CHECK(munlock(memory, LARGE) == 0);
    char *locked = mmap(NULL, LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_LOCKED, -1, 0);
    show("locked", locked == MAP_FAILED ? -1 : 0);
    char *huge = mmap(NULL, 4 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
    show("huge", huge == MAP_FAILED ? -1 : (long)huge % (2 << 20));
    printf("lease: %d\n", fcntl(open("/etc/passwd", O_RDONLY), F_SETLEASE, F_RDLCK));
    show("clock that wakes", timerfd_create(CLOCK_BOOTTIME_ALARM, 0) < 0 ? -1 : 0);
    char *later = mmap(NULL, BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    printf("%p\n", (void *)later);
}

/* Of a pair of sockets, which a replay makes again. */
static void options(void)
{
    int end[2], value = 1 << 24;
    socklen_t n = sizeof value;
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, end) == 0);
    show("mark", setsockopt(end[0], SOL_SOCKET, SO_MARK, &value, sizeof value));
    show("large buffer", setsockopt(end[0], SOL_SOCKET, SO_RCVBUFFORCE, &value, sizeof value));
    CHECK(getsockopt(end[0], SOL_SOCKET, SO_RCVBUF, &value, &n) == 0);
    printf("%d\n", value);
    CHECK(setsockopt(end[1], SOL_SOCKET, SO_PASSCRED, &value, sizeof value) == 0);
}

/* An input's holes: which of its blocks have data the file system says. */
static void holes(void)
{
    int file = open("in.txt", O_RDONLY);
    CHECK(file >= 0);
    for (int i = 0; i < 50; i++)              /* also without stops */
        CHECK(lseek(file, i, SEEK_SET) == i);
    for (off_t at = 0; (at = lseek(file, at, SEEK_DATA)) >= 0; ) {
        off_t end = lseek(file, at, SEEK_HOLE);
        printf("data %ld to %ld\n", (long)at, (long)end);
        CHECK(lseek(file, 0, SEEK_CUR) == end);
        at = end;
    }
    show("no more", lseek(file, 1 << 30, SEEK_DATA));
    struct { struct fiemap map; struct fiemap_extent extent[2]; } where = {.map = {.fm_length = ~0ULL, .fm_extent_count = 2}};
    show("extents", ioctl(file, FS_IOC_FIEMAP, &where));
    printf("%u, the first at %lu\n", where.map.fm_mapped_extents, (unsigned long)where.extent[0].fe_physical);
    int flags = 0, size = 0;
    show("flags", ioctl(file, FS_IOC_GETFLAGS, &flags));
    show("block", ioctl(file, FIGETBSZ, &size));
    printf("%x %d\n", flags, size);
    int block = 0;
    int64_t bytes = 0;
    show("first block", ioctl(file, FIBMAP, &block));
    show("bytes", ioctl(file, FIOQSIZE, &bytes));
    printf("%d %ld\n", block, (long)bytes);
}

static void made(void)
{
    struct stat st;
    int file = open("made.txt", O_RDWR | O_CREAT, 0644), flags = FS_NODUMP_FL;
    show("allocate", fallocate(file, 0, 0, 3 * BLOCK));
    show("punch", fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, BLOCK, BLOCK));
    show("collapse", fallocate(file, FALLOC_FL_COLLAPSE_RANGE, 0, 100));
    show("clone", ioctl(file, FICLONE, open("in.txt", O_RDONLY)));
    show("set flags", ioctl(file, FS_IOC_SETFLAGS, &flags));
    CHECK(fstat(file, &st) == 0);
    printf("size %ld\n", (long)st.st_size);
    flags = FS_APPEND_FL;
    show("append only", ioctl(file, FS_IOC_SETFLAGS, &flags));
    show("cut", ftruncate(file, 5));
    flags = 0;
    show("as before", ioctl(file, FS_IOC_SETFLAGS, &flags));
    CHECK(fstat(file, &st) == 0 && lseek(file, 0, SEEK_END) == st.st_size && write(file, "end\n", 4) == 4);
}

/* What a mode forbids its owner the superuser does; the directory must go away with the test. */
static void modes(void)
{
    CHECK(mkdir("closed", 0700) == 0 && chmod("closed", 0) == 0);
    int made = open("closed/made", O_WRONLY | O_CREAT, 0), again;
    show("in a closed directory", made < 0 ? -1 : 0);
    CHECK(made < 0 || write(made, "written\n", 8) == 8);
    show("once more", (again = open("closed/made", O_RDWR | O_APPEND)) < 0 ? -1 : 0);
    CHECK(again < 0 || write(again, "more\n", 5) == 5);
    CHECK(chmod("closed", 0700) == 0);
    show_file("closed/made");
}

int main(void)
{
    rights();
    modes();
    options();
    holes();
    made();
    return guest_done();
}

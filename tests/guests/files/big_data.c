/* Reads and writes large data, vectors and holes, and fills a pipe.
 *
 * shows: clone, fallocate, ftruncate, lseek, newfstatat, pipe2, preadv, pwrite64, read
 * source: large reads and writes, copies inside the kernel
 */
#include "guest.h"
#include <sys/uio.h>

static char block[1 << 20];
int main(void)
{
    unsigned long sum = 0;
    struct stat s;
    int fd = open("big", O_RDWR | O_CREAT, 0644), fds[2];
    for (int i = 0; i < 8; i++) {
        for (size_t j = 0; j < sizeof block; j++)
            block[j] = (char)(j * 31 + i);
        CHECK(write(fd, block, sizeof block) == sizeof block);
    }
    CHECK(pwrite(fd, "end", 3, 20 << 20) == 3 && fstat(fd, &s) == 0);
    printf("%ld bytes, next hole %ld data %ld\n", (long)s.st_size, (long)lseek(fd, 0, SEEK_HOLE),
           (long)lseek(fd, 9 << 20, SEEK_DATA));
    struct iovec parts[3] = {{block, 100}, {block + 1000, 1 << 16}, {block + (1 << 18), 1 << 17}};
    CHECK(preadv(fd, parts, 3, 12345) == 100 + (1 << 16) + (1 << 17));
    CHECK(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 4096, 8192) == 0 || errno == EOPNOTSUPP);
    CHECK(ftruncate(fd, 3 << 20) == 0 && lseek(fd, 0, SEEK_SET) == 0);
    int urandom = open("/dev/zero", O_RDONLY);
    CHECK(read(urandom, block, 300000) == 300000);
    CHECK(pipe(fds) == 0);
    pid_t child = fork();
    if (child == 0) {
        close(fds[0]);
        for (ssize_t got; (got = read(fd, block, 70000)) > 0;)
            CHECK(write(fds[1], block, got) == got);
        _exit(0);
    }
    close(fds[1]);
    for (ssize_t got; (got = read(fds[0], block, sizeof block)) > 0;)
        for (ssize_t j = 0; j < got; j++)
            sum = sum * 31 + block[j];
    CHECK(wait_for(child) == 0);
    printf("sum %lx\n", sum);
    return guest_done();
}

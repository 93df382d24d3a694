/* Threads open files in an order of their own and query them by descriptor. A missing name stays missing.
 *
 * run: racing
 * engine: native (threads)
 * shows: clone3, getdents64, newfstatat, sched_yield, statx
 * source: inodes, sizes, times and modes of files; which thread does a piece of work
 */
#include "guest.h"

enum { ROUNDS = 60 };
static const char *const names[] = {"in.txt", "data/a.txt", "data/b.txt", "data/sub/c.txt", "tool.sh", "middle"};
static unsigned long long sums[6];

static void *look(void *which)
{
    long mine = (long)which;
    DIR *listed = opendir("data");
    CHECK(listed && readdir(listed));
    for (int i = 0; i < ROUNDS; i++) {
        struct statx x, y;
        struct stat st;
        int fd = open(names[mine], O_RDONLY);
        CHECK(fd >= 0 && statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &x) == 0 && fstat(fd, &st) == 0);
        CHECK(statx(AT_FDCWD, names[mine], 0, STATX_BASIC_STATS, &y) == 0);
        CHECK(x.stx_ino == st.st_ino && y.stx_ino == x.stx_ino && x.stx_size == (unsigned long long)st.st_size);
        CHECK(stat("", &st) == -1 && errno == ENOENT && statx(AT_FDCWD, "", 0, STATX_BASIC_STATS, &y) == -1 && errno == ENOENT);
        sums[mine] += x.stx_ino + x.stx_size + x.stx_mtime.tv_sec + x.stx_mode;
        if (i % 7 == mine)
            sched_yield();
        close(fd);
    }
    closedir(listed);
    return NULL;
}

int main(void)
{
    pthread_t threads[6];
    for (long i = 0; i < 6; i++)
        CHECK(pthread_create(&threads[i], NULL, look, (void *)i) == 0);
    for (int i = 0; i < 6; i++) {
        pthread_join(threads[i], NULL);
        printf("%s %llu\n", names[i], sums[i]);
    }
    return guest_done();
}

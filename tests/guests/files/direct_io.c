/* O_DIRECT: the file system refuses reads and writes that are not aligned, or does not, and so does a replay, wherever its files lie.
 *
 * shows: openat, read, pread64, write, pwrite64
 * engine: native (results by rights)
 * live: differs=direct.txt
 * source: rights, flags and space of file systems
 */
#include "guest.h"

enum { BLOCK = 4096 };

static void show(const char *name, long result)
{
    printf("%s: %ld, %d\n", name, result, result < 0 ? errno : 0);
}

int main(void)
{
    char *block = aligned_alloc(BLOCK, 2 * BLOCK);
    memset(block, 'a', 2 * BLOCK);
    int file = open("direct.txt", O_RDWR | O_CREAT | O_DIRECT, 0644), input = open("in.txt", O_RDONLY | O_DIRECT);
    show("opened", file < 0 ? file : 0);
    show("aligned", write(file, block, BLOCK));
    show("small", write(file, block, 100));
    show("at an odd place", pwrite(file, block, BLOCK, 17));
    show("into odd memory", pread(file, block + 3, BLOCK, 0));
    show("aligned", pread(file, block, BLOCK, 0));
    show("of an input", read(input, block + 5, 3));
    close(file);
    struct stat st;
    CHECK(stat("direct.txt", &st) == 0);
    printf("size %ld\n", (long)st.st_size);
    return guest_done();
}

/* Prints where large files are mapped. Some file systems align them to huge pages, so that the address depends on
 * where the file is.
 *
 * engine: native (threads)
 * shows: clone, clone3, ftruncate, getpid, mmap, pwrite64, unlink
 * source: shared memory, mapped files; auxiliary vector, addresses (ASLR)
 */
#include "guest.h"

enum { LARGE = 3 << 20, PAGE = 4096 };
static char name[64];

static void *map(void *file)
{
    int fd = open(file, O_RDONLY);
    CHECK(fd >= 0);
    for (int i = 0; i < 3; i++) {
        char *large = mmap(NULL, LARGE + i * PAGE, PROT_READ, MAP_PRIVATE, fd, i / 2 * PAGE);
        printf("large %p, byte %c\n", large, large[LARGE / 2]);
    }
    printf("small %p\n", mmap(NULL, 2 * PAGE, PROT_READ, MAP_PRIVATE, fd, 0));
    printf("no file %p\n", mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    close(fd);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    snprintf(name, sizeof name, "/dev/shm/rex-guest-mappings-%d", getpid());
    int fd = open(name, O_WRONLY | O_CREAT | O_EXCL, 0600);
    CHECK(fd >= 0 && ftruncate(fd, LARGE + 4 * PAGE) == 0 && pwrite(fd, "x", 1, LARGE / 2) == 1 && pwrite(fd, "y", 1, LARGE / 2 + PAGE) == 1);
    close(fd);
    map(name);
    CHECK(pthread_create(&thread, NULL, map, name) == 0 && pthread_join(thread, NULL) == 0);
    pid_t child = fork();
    if (child == 0) {
        map(name);
        _exit(0);
    }
    CHECK(wait_for(child) == 0 && unlink(name) == 0);
    return guest_done();
}

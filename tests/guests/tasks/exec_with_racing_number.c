/* Threads race for the number of a descriptor that a program inherits. What that program opens gets other numbers,
 * too.
 *
 * run: racing
 * engine: native (threads)
 * shows: clone, clone3, dup, execve, newfstatat
 * source: fork, clone, exec; descriptor numbers
 */
#include "guest.h"

static volatile int holds;

static void *hold(void *unused)
{
    int fd = open("data/a.txt", O_RDONLY);
    CHECK(fd >= 0);
    holds = 1;
    wait_in_vain(300000000);              /* takes no time when it is replayed */
    CHECK(!close(fd));
    return unused;
}

static int show_size(const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY);
    CHECK(fd >= 0 && !fstat(fd, &st));
    printf("%s: %d\n", path, (int)st.st_size);
    return fd;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    if (argc > 1) {
        int first = show_size("in.txt"), second = show_size("data/a.txt");
        CHECK(!close(first));
        first = show_size("data/b.txt");
        CHECK(!close(first) && !close(second));
        show_size("data/sub/c.txt");
        return 0;
    }
    CHECK(!pthread_create(&thread, NULL, hold, NULL));
    while (!holds) {
    }
    for (volatile long n = 0; n < 30000000; n++) {
    }
    CHECK(dup(1) >= 0 && !pthread_join(thread, NULL));
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        execl(argv[0], argv[0], "shows", (char *)NULL);
        _exit(98);
    }
    CHECK(wait_for(child) == 0);
    return guest_done();
}

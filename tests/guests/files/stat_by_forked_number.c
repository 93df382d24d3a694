/* A forked process opens a file under a number for which its parent's threads race, and asks for the size of what it has open.
 *
 * run: racing
 * engine: native (threads)
 * shows: clone, newfstatat, openat, wait4
 * source: descriptor numbers; inodes, sizes, times and modes of files
 */
#include "guest.h"
#include <pthread.h>
#include <sys/wait.h>

static volatile int is_over;

static void *holds_numbers(void *unused)
{
    (void)unused;
    while (!is_over) {
        int a = open("in.txt", O_RDONLY), b = open("data/a.txt", O_RDONLY);
        for (volatile unsigned work = 0; work < (unsigned)getpid() % 7 * 20000 + 30000; work++)
            ;
        close(a);
        close(b);
    }
    return NULL;
}

static void child(const char *name)
{
    struct stat st;
    char line[64];
    int fd = open(name, O_RDONLY);
    CHECK(fd >= 0 && fstat(fd, &st) == 0);
    int n = snprintf(line, sizeof line, "%s has %ld bytes\n", name, (long)st.st_size);
    CHECK(write(1, line, (size_t)n) == n);
    _exit(0);
}

int main(void)
{
    pthread_t thread;
    CHECK(!pthread_create(&thread, NULL, holds_numbers, NULL));
    for (int round = 0; round < 12; round++) {
        pid_t pid = fork();
        if (!pid)
            child(round % 2 ? "in.txt" : "data/b.txt");
        CHECK(waitpid(pid, NULL, 0) == pid);
    }
    is_over = 1;
    CHECK(!pthread_join(thread, NULL));
    return guest_done();
}

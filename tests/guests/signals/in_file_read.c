/* A timer's signal and a child's end arrive while a file is read byte by byte, as in shells. The program prints
 * its file position.
 *
 * engine: native (signals between calls)
 * shows: clock_nanosleep, clone, lseek, read, setitimer, unlink, wait4
 * source: signals; ends and statuses of children
 */
#include "guest.h"

enum { BLOCK = 1 << 16, BLOCKS = 40, HALF = BLOCK * BLOCKS / 2 };
static volatile int heard;
static void on_signal(int sig)
{
    heard = sig;
}
static void read_until_heard(int fd)
{
    char byte;
    heard = 0;
    for (int i = 0; !heard && i < HALF; i++)
        CHECK(read(fd, &byte, 1) == 1);
    printf("signal %d at %s\n", heard, heard ? "a place" : "no place");
    if (heard)
        printf("%ld\n", (long)lseek(fd, 0, SEEK_CUR));
}
int main(void)
{
    static char block[BLOCK];
    struct itimerval soon = {.it_value = {.tv_usec = 9000}};
    int fd = open("read.txt", O_RDWR | O_CREAT | O_TRUNC, 0644);
    for (int i = 0; i < BLOCKS; i++)
        CHECK(write(fd, block, sizeof block) == (ssize_t)sizeof block);
    CHECK(lseek(fd, 0, SEEK_SET) == 0);
    signal(SIGALRM, on_signal);
    signal(SIGCHLD, on_signal);
    CHECK(setitimer(ITIMER_REAL, &soon, NULL) == 0);
    read_until_heard(fd);
    if (fork() == 0) {
        usleep(9000);
        _exit(0);
    }
    read_until_heard(fd);
    wait(NULL);
    unlink("read.txt");
    return guest_done();
}

#include "guest.h"
/* A timer's signal, and then a child's end, come while a program reads a file byte by byte, as shells do, which the log does not
 * have: it says how far it had read. */
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

/* Copies descriptors, and prints their numbers and flags, over exec and between processes.
 *
 * live: yes
 * shows: clone, dup, dup2, dup3, execve, fcntl, ioctl, lseek, read
 * source: descriptor numbers
 */
#include "guest.h"

int main(int argc, char **argv)
{
    char text[8];
    if (argc > 1) {
        printf("after exec: 10 %ld, 11 %s\n", (long)read(10, text, 3), fcntl(11, F_GETFD) < 0 ? "closed" : "open");
        return 0;
    }
    int fd = open("in.txt", O_RDONLY), copy = dup(fd), high = fcntl(fd, F_DUPFD, 40), random;
    CHECK(read(copy, text, 4) == 4 && lseek(high, 0, SEEK_CUR) == 4);
    printf("%d %d %d\n", fd, copy, high);
    CHECK(dup2(fd, 10) == 10 && dup3(fd, 11, O_CLOEXEC) == 11 && dup2(10, 10) == 10);
    CHECK(fcntl(11, F_GETFD) == FD_CLOEXEC && fcntl(10, F_GETFD) == 0);
    printf("flags %x\n", fcntl(fd, F_GETFL));
    CHECK((random = open("/dev/urandom", O_RDONLY)) >= 0 && dup2(random, 20) == 20 && close(random) == 0);
    CHECK(read(20, text, 4) == 4);
    printf("random %02x%02x\n", (unsigned char)text[0], (unsigned char)text[1]);
    CHECK((random = open("in.txt", O_RDONLY)) >= 0 && read(random, text, 4) == 4 && text[0] == 'o');
    CHECK(dup2(random, 20) == 20 && read(20, text, 4) == 4 && text[0] == 't');
    pid_t child = fork();
    if (child == 0)
        execl(argv[0], argv[0], "again", (char *)NULL);
    CHECK(wait_for(child) == 0 && lseek(fd, 0, SEEK_CUR) == 7);
    for (int i = 0; i < 3; i++)
        printf("terminal %d: %d\n", i, isatty(i));
    int saved = dup(1), file = open("out.txt", O_WRONLY | O_CREAT, 0644);
    CHECK(dup2(file, 1) == 1 && write(1, "into the file\n", 14) == 14 && dup2(saved, 1) == 1);
    fprintf(stderr, "to standard error\n");
    return guest_done();
}

/* Two processes read standard input, which is a plain file, in parts.
 *
 * run: stdin=file
 * live: yes
 * shows: clone, lseek, newfstatat, poll, read
 * source: standard streams
 */
#include "guest.h"

int main(void)
{
    char text[64], *line;
    size_t have = 0;
    struct stat s;
    CHECK(fstat(0, &s) == 0);
    printf("type %o, offset %ld\n", s.st_mode & S_IFMT, (long)lseek(0, 0, SEEK_CUR));
    CHECK(read(0, text, 3) == 3);
    printf("three: %.3s\n", text);
    pid_t child = fork();
    if (child == 0) {
        CHECK(read(0, text, 4) == 4);
        printf("child: %.4s\n", text);
        _exit(0);
    }
    CHECK(wait_for(child) == 0);
    struct pollfd ready = {0, POLLIN, 0};
    CHECK(poll(&ready, 1, 1000) == 1);
    while (line = NULL, getline(&line, &have, stdin) > 0)
        printf("line: %s", line);
    printf("end %d, position %ld\n", feof(stdin) != 0, (long)lseek(0, 0, SEEK_CUR));
    return guest_done();
}

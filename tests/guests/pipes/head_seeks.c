/* Reads lines from a pipe, as head does, in other parts than recorded. Where it read too far it tries lseek once
 * more.
 *
 * engine: native (sizes of pipe reads)
 * shows: clock_nanosleep, clone, dup2, newfstatat, pipe2, read, wait4
 * source: pipes: sizes of reads, order of writers
 */
#include "guest.h"
#include <sys/wait.h>

static int is_pipe(int fd)
{
    struct stat st;
    CHECK(fstat(fd, &st) == 0);
    return S_ISFIFO(st.st_mode);
}
int main(void)
{
    enum { WANTED = 3, LINE = 5, LINES = 6 };
    int fds[2], plain = open("made", O_WRONLY | O_CREAT, 0600);
    char text[256];
    CHECK(plain >= 0 && pipe(fds) == 0 && dup2(plain, 10) == 10 && dup2(fds[0], 11) == 11);
    pid_t child = fork();
    for (int i = 0; child == 0 && i < LINES; i++) {
        nap_ms(i ? 20 : 400);
        CHECK(write(fds[1], "line\n", LINE) == LINE);
    }
    if (child == 0)
        _exit(0);
    for (volatile long i = 0; i < 60000000; i++)
        ;
    ssize_t got = 0;
    while (got < WANTED * LINE) {
        ssize_t n = read(11, text, sizeof text);
        CHECK(n > 0);
        got += n;
    }
    CHECK(wait_for(child) == 0);
    if (got > WANTED * LINE)
        CHECK(lseek(11, WANTED * LINE - got, SEEK_CUR) == -1 && errno == ESPIPE && is_pipe(11));
    printf("%d %d\n", is_pipe(10), is_pipe(11));
    return guest_done();
}

/* A process sleeps until another has computed and written to a file that it keeps open, which no event shows; then it reads the file.
 *
 * engine: native (order by sleeps)
 * shows: clock_nanosleep, clone, openat, read, wait4, write
 * source: sleeps and timeouts
 */
#include "guest.h"
#include <sys/wait.h>

static void compute(void)
{
    for (volatile unsigned work = 0; work < 40000000; work++)
        ;
}

int main(void)
{
    char text[64] = "";
    int ends[2];
    CHECK(!pipe(ends));
    pid_t child = fork();
    if (!child) {
        int fd = open("notes", O_WRONLY | O_CREAT, 0600);
        CHECK(fd >= 0);
        compute();
        CHECK(write(fd, "written\n", 8) == 8);
        CHECK(read(ends[0], text, 1) == 1);
        _exit(0);
    }
    nap_ms(1500);
    int fd = open("notes", O_RDONLY);
    CHECK(fd >= 0);
    printf("%zd bytes: %s", read(fd, text, sizeof text - 1), text);
    CHECK(write(ends[1], "x", 1) == 1);
    CHECK(waitpid(child, NULL, 0) == child);
    return guest_done();
}

/* Two processes append to a file that each opens. One writes while it alone has it open, and then they share it
 * again.
 *
 * run: racing
 * engine: native (order between processes)
 * shows: clock_nanosleep, clone, newfstatat, pipe2, read, write
 * source: files written by several processes
 */
#include "guest.h"

static void await(int pipe)
{
    char c;
    CHECK(read(pipe, &c, 1) == 1);
}

static void tell(int pipe)
{
    CHECK(write(pipe, "", 1) == 1);
}

static int join(void)
{
    int fd = open("log", O_WRONLY | O_CREAT | O_APPEND, 0644);
    CHECK(fd >= 0);
    return fd;
}

static void other(int from, int to)
{
    struct stat st = {0};
    await(from);
    close(join());
    tell(to);
    while (st.st_size < 6) {              /* no call of this orders a replay */
        usleep(1000);
        CHECK(stat("log", &st) == 0);
    }
    int fd = join();
    CHECK(write(fd, "other ", 6) == 6);
    tell(to);
    await(from);
    _exit(0);
}

int main(void)
{
    int there[2], back[2];
    CHECK(pipe(there) == 0 && pipe(back) == 0);
    pid_t pid = fork();
    if (!pid)
        other(there[0], back[1]);
    int fd = join();
    tell(there[1]);
    await(back[0]);
    usleep(100000);
    CHECK(write(fd, "alone ", 6) == 6);
    await(back[0]);
    close(fd);
    fd = join();
    CHECK(write(fd, "again", 5) == 5);
    tell(there[1]);
    CHECK(wait_for(pid) == 0);
    show_file("log");
    return guest_done();
}

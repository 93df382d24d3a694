/* Makes files and changes their mode, owner and times by descriptor, over and over; one becomes a program that a child executes.
 * It does the same to an input, and to files whose names are gone.
 *
 * shows: fchmod, fchown, openat, unlink, utimensat
 * source: inodes, sizes, times and modes of files
 */
#include "guest.h"

enum { ROUNDS = 40 };

static const char script[] = "#!/bin/sh\necho executed\n";

static void show(const char *name)
{
    struct stat st;
    CHECK(stat(name, &st) == 0);
    printf("%s: %o, %d bytes of %lld\n", name, (unsigned)st.st_mode, (int)st.st_size, (long long)st.st_mtim.tv_sec);
}

static void change(int fd, int round)
{
    const struct timespec times[2] = {{1000000 + round, 0}, {2000000 + round, 5}};
    CHECK(fchmod(fd, round % 2 ? 0600 : 0640) == 0 && fchown(fd, (uid_t)-1, (gid_t)-1) == 0 && futimens(fd, times) == 0);
}

static void make(int round)
{
    char name[32];
    snprintf(name, sizeof name, "made %d", round);
    int fd = open(name, O_WRONLY | O_CREAT | O_EXCL, 0600);
    CHECK(fd >= 0 && dprintf(fd, "%d\n", round) > 0);
    change(fd, round);
    if (round % 8 == 0)
        CHECK(unlink(name) == 0);
    change(fd, round + 1);
    CHECK(fchmod(fd, 0644) == 0 && close(fd) == 0 && fchmod(fd, 0600) == -1 && errno == EBADF);
    if (round % 8)
        show(name);
}

static void execute(void)
{
    int fd = open("script", O_WRONLY | O_CREAT | O_EXCL, 0600), status;
    CHECK(fd >= 0 && write(fd, script, sizeof script - 1) > 0 && fchmod(fd, 0700) == 0 && close(fd) == 0);
    pid_t child = fork();
    if (!child) {
        execl("./script", "script", NULL);
        _exit(9);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

int main(void)
{
    int input = open("in.txt", O_RDWR);
    CHECK(input >= 0);
    for (int round = 0; round < ROUNDS; round++) {
        make(round);
        change(input, round);
    }
    execute();
    show("script");
    show("in.txt");
    return guest_done();
}

/* Makes files and changes their mode, owner and times by descriptor and by name, over and over; one becomes a program that a child executes.
 * It does the same to an input, and to files whose names are gone.
 *
 * shows: chmod, fchmod, fchown, fchownat, mkdir, mkdirat, openat, unlink, utimensat
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

static void change_name(const char *name, int round)
{
    const struct timespec times[2] = {{3000000 + round, 0}, {4000000 + round, 5}};
    CHECK(chmod(name, round % 2 ? 0400 : 0666) == 0 && fchownat(AT_FDCWD, name, (uid_t)-1, (gid_t)-1, AT_SYMLINK_NOFOLLOW) == 0);
    CHECK(utimensat(AT_FDCWD, name, times, 0) == 0 && chmod("none", 0644) == -1 && errno == ENOENT);
    CHECK(unlink("other name") == 0 || errno == ENOENT);
    CHECK(symlink(name, "other name") == 0 && chmod("other name", round % 3 ? 0700 : 0640) == 0);
    show(name);
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
        change_name(name, round);
}

static void make_directories(int round)
{
    char name[32];
    CHECK(mkdir("in.txt", 0755) == -1 && errno == EEXIST && mkdir("link", 0755) == -1 && errno == EEXIST);
    CHECK(mkdir("in.txt/below", 0755) == -1 && errno == ENOTDIR && mkdir("none/below", 0755) == -1 && errno == ENOENT);
    CHECK(mkdir(".", 0755) == -1 && errno == EEXIST && mkdir("there/", 0755) == (round ? -1 : 0) && (!round || errno == EEXIST));
    CHECK(mkdirat(AT_FDCWD, (char *)(uintptr_t)(round % 2), 0755) == -1 && errno == EFAULT);
    snprintf(name, sizeof name, "there/%d", round % 5);
    CHECK(mkdir(name, 0755) == (round < 5 ? 0 : -1));
    CHECK(round % 5 != 4 || (rmdir(name) == 0 && mkdir(name, 0700) == 0));
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
        make_directories(round);
    }
    execute();
    show("script");
    show("in.txt");
    return guest_done();
}

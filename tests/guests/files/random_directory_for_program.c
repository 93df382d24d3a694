/* A directory's random name depends on timing. Another program is passed the name and finds what was made there.
 *
 * run: racing
 * engine: native (threads)
 * shows: clone3, execve, mkdir, newfstatat, rename, rmdir, unlink, wait4
 * source: names, renames, files without a name; random bytes: getrandom, /dev/urandom, rdrand
 */
#include "guest.h"
#include <spawn.h>
#include <sys/wait.h>

static unsigned long pace;
extern char **environ;

static void *work(void *unused)
{
    char top[64], below[80], file[96], moved[112];
    unsigned drawn = (unsigned)pace * 2654435761u;
    struct stat st;
    int status;
    pid_t pid;
    for (unsigned i = 0; i < 1 + drawn % 3; i++)
        CHECK(write(1, "", 0) == 0);
    snprintf(top, sizeof top, "work-%08x%04x", drawn * 40503u, drawn & 0xffff);
    snprintf(below, sizeof below, "%s/b001/", top);
    snprintf(file, sizeof file, "%spart-%08x", below, drawn * 69069u);
    snprintf(moved, sizeof moved, "%swhole", below);
    CHECK(mkdir(top, 0700) == 0);
    CHECK(stat(below, &st) == -1 && errno == ENOENT && mkdir(below, 0700) == 0);
    int fd = open(file, O_WRONLY | O_CREAT | O_EXCL, 0600);
    CHECK(fd >= 0 && write(fd, "drawn\n", 6) == 6 && close(fd) == 0 && rename(file, moved) == 0);
    char *const argv[] = {"cat", moved, NULL};
    CHECK(posix_spawnp(&pid, "cat", NULL, NULL, argv, environ) == 0 && waitpid(pid, &status, 0) == pid && status == 0);
    CHECK(stat(moved, &st) == 0 && st.st_size == 6);
    char derived[96];
    char *const other[] = {"cat", derived, NULL};
    snprintf(derived, sizeof derived, "%s.txt", top);
    CHECK((fd = open(derived, O_WRONLY | O_CREAT, 0600)) >= 0 && write(fd, "derived\n", 8) == 8 && close(fd) == 0);
    CHECK(posix_spawnp(&pid, "cat", NULL, NULL, other, environ) == 0 && waitpid(pid, &status, 0) == pid && status == 0 && unlink(derived) == 0);
    CHECK(unlink(moved) == 0 && rmdir(below) == 0 && rmdir(top) == 0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pace = guest_pace();
    CHECK(pthread_create(&thread, NULL, work, NULL) == 0 && pthread_join(thread, NULL) == 0);
    return guest_done();
}

/* Processes race for locks of every kind. The output shows the order in which they got them.
 *
 * run: racing
 * live: no (its output shows who was first)
 * engine: native (order between processes)
 * shows: clone, fcntl, flock, lseek
 * source: locks
 */
#include "guest.h"
#include <sys/file.h>

enum { WORKERS = 4, ROUNDS = 25, KINDS = 4 };
static const char *const names[KINDS] = {"flock", "record", "open", "lockf"};
static void take(int fd, int kind)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    CHECK(kind == 0 ? flock(fd, LOCK_EX) == 0 : kind == 3 ? lockf(fd, F_LOCK, 0) == 0
          : fcntl(fd, kind == 1 ? F_SETLKW : F_OFD_SETLKW, &lock) == 0);
}
static void leave(int fd, int kind)
{
    struct flock lock = {.l_type = F_UNLCK, .l_whence = SEEK_SET};
    CHECK(kind == 0 ? flock(fd, LOCK_UN) == 0 : kind == 3 ? lockf(fd, F_ULOCK, 0) == 0
          : fcntl(fd, kind == 1 ? F_SETLK : F_OFD_SETLK, &lock) == 0);
}
static void work(int worker)
{
    int fd[KINDS], count = 0;
    char line[32];
    for (int kind = 0; kind < KINDS; kind++)
        CHECK((fd[kind] = open(names[kind], O_RDWR | O_CREAT, 0644)) >= 0);
    for (int i = 0; i < ROUNDS * KINDS; i++) {
        int kind = (i + worker) % KINDS;
        take(fd[kind], kind);
        int n = snprintf(line, sizeof line, "%c", 'a' + worker);
        CHECK(lseek(fd[kind], 0, SEEK_END) >= 0 && write(fd[kind], line, (size_t)n) == n);
        for (volatile int k = 0; k < 300 * (i % 7); k++) {
        }
        leave(fd[kind], kind);
        count += i;
    }
    _exit(count & 7);                     /* its descriptors, and so locks, go with it */
}
int main(void)
{
    pid_t pid[WORKERS];
    for (int i = 0; i < WORKERS; i++)
        if ((pid[i] = fork()) == 0)
            work(i);
    for (int i = 0; i < WORKERS; i++)
        CHECK(WIFEXITED(wait_for(pid[i])));
    for (int kind = 0; kind < KINDS; kind++)
        show_file(names[kind]);
    return guest_done();
}

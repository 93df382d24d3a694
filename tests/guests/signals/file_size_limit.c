/* The signal of a write beyond the limit of file size comes at that write, whichever call it is. A handler has run when
 * the call returns.
 *
 * engine: native (results by rights)
 * shows: write, pwrite64, ftruncate, truncate, fallocate, setrlimit
 * source: signals; limits, seccomp filters, undumpable processes
 */
#include "guest.h"

#include <sys/resource.h>

enum { LIMIT = 5000 };

static volatile sig_atomic_t came;

static void handler(int sig)
{
    (void)sig;
    came++;
    CHECK(write(1, "signal\n", 7) == 7);
}

static void show(const char *name, long result)
{
    printf("%s: %ld, %d, signals %d\n", name, result, result < 0 ? errno : 0, (int)came);
}

int main(void)
{
    static char data[2 * LIMIT];
    struct rlimit limit;
    CHECK(signal(SIGXFSZ, handler) != SIG_ERR && getrlimit(RLIMIT_FSIZE, &limit) == 0);
    limit.rlim_cur = LIMIT;
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    int file = open("made.txt", O_RDWR | O_CREAT, 0644);
    show("write", write(file, data, sizeof data));
    show("write", write(file, data, 1));
    show("at", pwrite(file, data, 1, LIMIT + 1));
    show("length", ftruncate(file, LIMIT + 1));
    show("length by name", truncate("made.txt", LIMIT + 1));
    show("room", fallocate(file, 0, 0, LIMIT + 1));
    show("within", ftruncate(file, LIMIT - 1));
    return guest_done();
}

/* Workers that share memory take jobs in racing order. For some jobs a worker reads its own memory use by pid, as
 * psutil does.
 *
 * run: racing
 * engine: native (processes that share memory)
 * shows: clone, close, getpid, openat, read
 * source: shared memory, mapped files; /proc and /sys
 */
#include "guest.h"

enum { WORKERS = 3, JOBS = 60 };

static int size_of_own(void)
{
    char name[40], line[200] = "";
    int pages = 0;
    snprintf(name, sizeof name, "/proc/%d/statm", getpid());
    int fd = open(name, O_RDONLY);
    if (fd < 0 || read(fd, line, sizeof line - 1) <= 0)
        return 0;
    close(fd);
    return sscanf(line, "%d", &pages) == 1 && pages > 0;
}

static void work(int i, int *next, int *found)
{
    if (i)
        wait_in_vain(300000000);
    for (int job; (job = __atomic_fetch_add(next, 1, __ATOMIC_SEQ_CST)) < JOBS; ) {
        for (volatile int n = 0; n < 200000; n++) {
        }
        if (job % 5 == 0)
            __atomic_fetch_add(found, size_of_own(), __ATOMIC_SEQ_CST);
    }
    exit(0);
}

int main(void)
{
    int *shared = shared_page();
    pid_t worker[WORKERS];
    for (int i = 0; i < WORKERS; i++)
        if ((worker[i] = fork()) == 0)
            work(i, &shared[0], &shared[16]);
    for (int i = 0; i < WORKERS; i++)
        CHECK(wait_for(worker[i]) == 0);
    printf("%d times\n", shared[16]);
    return guest_done();
}

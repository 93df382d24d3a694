/* Threads of a pool start programs, each in its own directory.
 *
 * run: racing
 * engine: native (threads)
 * shows: chdir, clone3, dup2, execve, pipe2, read, vfork
 * source: which thread does a piece of work; ends and statuses of children
 */
#include "guest.h"

enum { THREADS = 3, JOBS = 9 };

static const char *const places[] = {".", "data", "data/sub"};
static char said[JOBS][64];
static int taken;

static void start(int job, const char *place, char *const *words)
{
    int out[2];
    CHECK(pipe2(out, O_CLOEXEC) == 0);
    pid_t child = vfork();
    CHECK(child >= 0);
    if (child == 0) {
        if (chdir(place) == 0 && dup2(out[1], 1) == 1)
            execv("/bin/sh", words);
        _exit(98);
    }
    close(out[1]);
    ssize_t n = 0, some;
    while ((some = read(out[0], said[job] + n, sizeof said[job] - 1 - (size_t)n)) > 0)
        n += some;
    close(out[0]);
    CHECK(wait_for(child) == 0);
}

static void *work(void *unused)
{
    for (int job; (job = __atomic_fetch_add(&taken, 1, __ATOMIC_RELAXED)) < JOBS; ) {
        char command[64], *const words[] = {"sh", "-c", command, NULL};
        snprintf(command, sizeof command, "echo job %d: *.txt", job);
        start(job, places[job % 3], words);
    }
    return unused;
}

int main(void)
{
    run_threads(THREADS, work);
    for (int i = 0; i < JOBS; i++)
        printf("%s", said[i]);
    return guest_done();
}

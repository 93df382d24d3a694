/* A worker that opens shared memory by name is killed while it waits. It may not yet have opened it.
 *
 * run: racing
 * shows: clone3, execve, getpid, kill
 * source: shared memory, mapped files; ends and statuses of children
 */
#include "guest.h"

#include <semaphore.h>
#include <spawn.h>

extern char **environ;

static int work(const char *name)
{
    for (volatile long n = 0; n < 4000000L; n++) {
    }
    sem_t *gate = sem_open(name, 0);
    CHECK(gate != SEM_FAILED);
    for (;;)
        sem_wait(gate);
}

int main(int count, char **args)
{
    char name[40];
    pid_t worker[2];
    if (count > 1)
        return work(args[1]);
    snprintf(name, sizeof name, "/guest-%d", getpid());
    sem_t *gate = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
    CHECK(gate != SEM_FAILED);
    char *command[] = {args[0], name, NULL};
    for (int i = 0; i < 2; i++)
        CHECK(posix_spawn(&worker[i], *command, NULL, NULL, command, environ) == 0);
    wait_in_vain(900000000);
    for (int i = 0; i < 2; i++)
        CHECK(kill(worker[i], SIGTERM) == 0);
    for (int i = 0; i < 2; i++)
        printf("worker %d: %d\n", i, WTERMSIG(wait_for(worker[i])));
    CHECK(sem_close(gate) == 0 && sem_unlink(name) == 0);
    return guest_done();
}

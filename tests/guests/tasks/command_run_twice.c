/* A thread runs a command if nobody is done with it. In a replay two threads run it, one after the other, and each
 * waits for its own.
 *
 * run: racing, outside=servers
 * engine: native (threads)
 * shows: clone3, execve, wait4, waitid
 * source: fork, clone, exec; ends and statuses of children; which thread does a piece of work
 */
#include "outside.h"
#include <spawn.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int is_done;
static pid_t made[2];

/* It is over once the command has ended, though nobody has waited for it. */
static void run_command(int who)
{
    char *command[] = {"./command_run_twice", "command", NULL}, *none[] = {NULL};
    pthread_mutex_lock(&lock);
    if (!is_done) {
        CHECK(posix_spawn(&made[who], command[0], NULL, NULL, command, none) == 0);
        CHECK(waitid(P_PID, (id_t)made[who], NULL, WEXITED | WNOWAIT) == 0);
    }
    pthread_mutex_unlock(&lock);
}

static void *nap_and_run(void *unused)
{
    usleep(100000);
    run_command(0);
    is_done = 1;
    CHECK(!made[0] || wait_for(made[0]) == 0);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    if (argc > 1 && !strcmp(argv[1], "command"))
        return 0;
    FILE *f = called();
    CHECK(pthread_create(&thread, NULL, nap_and_run, NULL) == 0);
    hear_long(f);
    hear_long(f);
    run_command(1);                                /* not when recorded */
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(!made[1] || wait_for(made[1]) == 0);
    return guest_done();
}

/* A process with threads looks now and then whether any child has ended, perhaps earlier than recorded.
 *
 * run: racing
 * engine: native (threads)
 * shows: access, clock_nanosleep, clone, clone3, pipe2, read, wait4
 * source: ends and statuses of children; which thread does a piece of work
 */
#include "guest.h"

enum { CHILDREN = 30, WORK = 60000 };

static int never[2];

static void *rest(void *unused)
{
    char byte;
    CHECK(read(never[0], &byte, 1) == 1 && access("nothing", F_OK) == -1);
    return unused;
}

/* Children end in another order than they begin. */
static void compute(int much)
{
    volatile unsigned sum = 0;
    for (unsigned i = 0; i < (unsigned)much * WORK; i++)
        sum += i;
}

int main(void)
{
    int status, sum = 0;
    pthread_t thread;
    CHECK(pipe(never) == 0 && pthread_create(&thread, NULL, rest, NULL) == 0);
    for (int i = 0; i < CHILDREN; i++)
        if (fork() == 0) {
            compute(20 + i * 7 % CHILDREN);
            _exit(i);
        }
    for (int left = CHILDREN; left; ) {
        pid_t pid = waitpid(-1, &status, WNOHANG);
        CHECK(pid >= 0);
        if (pid == 0) {
            nap_ms(2);
            continue;
        }
        CHECK(WIFEXITED(status));
        sum += WEXITSTATUS(status);
        left--;
    }
    CHECK(waitpid(-1, &status, WNOHANG) == -1 && errno == ECHILD);
    CHECK(write(never[1], "x", 1) == 1 && pthread_join(thread, NULL) == 0);
    printf("%d\n", sum);
    return guest_done();
}

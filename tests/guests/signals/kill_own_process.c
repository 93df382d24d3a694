/* Either of two threads ends the process by a signal, whichever comes first.
 *
 * run: racing
 * engine: native (threads)
 * shows: clone, clone3, futex, getpid, kill
 * source: signals; which thread does a piece of work
 */
#include "guest.h"
#include <linux/futex.h>
enum { MS = 1000000 };

static void rest(int ms)
{
    static int never;
    syscall(SYS_futex, &never, FUTEX_WAIT_PRIVATE, 0, &(struct timespec){0, ms * MS}, NULL, 0);
}

static void end_once(void)
{
    if (next_job() == 0) {
        rest(60);
        kill(getpid(), SIGTERM);
    }
    for (;;)
        rest(900);
}

static void *rests(void *unused)
{
    rest(30);
    end_once();
    return unused;
}

static void *waits(void *unused)
{
    wait_in_vain(60 * MS);
    end_once();
    return unused;
}

int main(void)
{
    pid_t child = fork();
    if (!child) {
        pthread_t thread[2];
        CHECK(!pthread_create(&thread[0], NULL, rests, NULL) && !pthread_create(&thread[1], NULL, waits, NULL));
        for (;;)
            rest(900);
    }
    int status = wait_for(child);
    printf("ended by %d\n", WTERMSIG(status));
    return guest_done();
}

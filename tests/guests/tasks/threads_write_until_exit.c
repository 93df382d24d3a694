/* Threads write lines until the process ends, as far as they come.
 *
 * run: racing, no-token
 * engine: native (threads)
 * shows: clone, clone3, exit_group, write
 * source: standard streams; which thread does a piece of work
 */
#include "guest.h"

enum { THREADS = 2, WORK = 3 * 1000 * 1000 };

static void *write_lines(void *unused)
{
    for (;;)
        puts("a line of some thread");
    return unused;
}

int main(void)
{
    pthread_t thread;
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&thread, NULL, write_lines, NULL) == 0);
    for (volatile int i = 0; i < WORK; i++) {
    }
    _exit(0);
}

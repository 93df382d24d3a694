/* Threads of a pool make sockets of two kinds. Who makes which depends on who is first.
 *
 * run: racing
 * engine: native (threads)
 * shows: clone3, close, getsockopt, socket
 * source: sockets inside the experiment; which thread does a piece of work
 */
#include "guest.h"
#include <sys/socket.h>

enum { JOBS = 60, THREADS = 3 };
static int types[JOBS];
static void *work(void *unused)
{
    for (int job; (job = next_job()) < JOBS; ) {
        int fd = socket(AF_UNIX, job % 3 ? SOCK_STREAM : SOCK_DGRAM, 0);
        socklen_t n = sizeof types[job];
        CHECK(fd >= 0 && getsockopt(fd, SOL_SOCKET, SO_TYPE, &types[job], &n) == 0);
        for (volatile int k = 0; k < 10000 * (job % 4); k++)
            ;
        CHECK(close(fd) == 0);
    }
    return unused;
}
int main(void)
{
    run_threads(THREADS, work);
    for (int job = 0; job < JOBS; job++)
        printf("%d", types[job]);
    puts("");
    return guest_done();
}

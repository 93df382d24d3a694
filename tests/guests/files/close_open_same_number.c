/* A thread opens a descriptor with the number that another thread's close has just freed, before that close
 * returns.
 *
 * run: racing
 * engine: native (threads)
 * shows: clone3, close, getsockopt, socket
 * source: descriptor numbers
 */
#include "guest.h"
#include <sys/socket.h>

enum { ROUNDS = 150, THREADS = 3 };
static int outside;
static void *work(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        int fd = socket(AF_INET, SOCK_DGRAM, 0), domain = 0;
        socklen_t n = sizeof domain;
        CHECK(fd >= 0 && getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &n) == 0);
        __atomic_fetch_add(&outside, domain == AF_INET, __ATOMIC_SEQ_CST);
        CHECK(close(fd) == 0);
    }
    return unused;
}
int main(void)
{
    run_threads(THREADS, work);
    printf("%d sockets of the network's\n", outside);
    return guest_done();
}

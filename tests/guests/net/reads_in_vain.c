/* A thread tries to receive from a socket as often as another needs to be done.
 *
 * run: racing
 * engine: native (threads)
 * shows: bind, clock_nanosleep, clone3, recvfrom, socket
 * source: sockets inside the experiment
 */
#include "guest.h"

enum { NAPS = 30 };

static volatile int is_done;

static void *work(void *unused)
{
    for (int i = 0; i < NAPS; i++)
        nap_ms(1);
    is_done = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    char text[32];
    struct sockaddr any = {.sa_family = AF_UNIX};
    int s = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    CHECK(s >= 0 && bind(s, &any, sizeof any.sa_family) == 0);
    CHECK(pthread_create(&thread, NULL, work, NULL) == 0);
    while (!is_done)
        CHECK(recv(s, text, sizeof text, 0) == -1 && errno == EAGAIN);
    CHECK(pthread_join(thread, NULL) == 0);
    return guest_done();
}

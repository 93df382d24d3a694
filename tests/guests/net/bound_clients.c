/* A thread connects sockets that are bound to any address, and to any port. The server sees the client's address.
 *
 * run: racing
 * engine: native (threads)
 * shows: accept, bind, clone3, connect, getpeername, getsockname, listen, read, socket
 * source: sockets inside the experiment
 */
#include "guest.h"
#include <arpa/inet.h>

static void print_address(const char *what, const struct sockaddr_in *a)
{
    printf("%s %s:%d\n", what, inet_ntoa(a->sin_addr), ntohs(a->sin_port));
}

static void *call(void *arg)
{
    struct sockaddr_in own = {.sin_family = AF_INET}, *to = arg;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    char c;
    CHECK(fd >= 0 && bind(fd, (struct sockaddr *)&own, sizeof own) == 0);
    CHECK(connect(fd, (struct sockaddr *)to, sizeof *to) == 0);
    CHECK(read(fd, &c, 1) == 0 && close(fd) == 0);
    return NULL;
}

int main(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}, peer, again;
    socklen_t size = sizeof at;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(bind(listener, (struct sockaddr *)&at, sizeof at) == 0 && listen(listener, 3) == 0);
    CHECK(getsockname(listener, (struct sockaddr *)&at, &size) == 0);
    for (int i = 0; i < 2; i++) {
        pthread_t thread;
        socklen_t n = sizeof peer, m = sizeof again;
        CHECK(pthread_create(&thread, NULL, call, &at) == 0);
        int fd = accept(listener, (struct sockaddr *)&peer, &n);
        CHECK(fd >= 0 && getpeername(fd, (struct sockaddr *)&again, &m) == 0);
        print_address("called from", &peer);
        CHECK(again.sin_port == peer.sin_port && again.sin_addr.s_addr == peer.sin_addr.s_addr);
        CHECK(close(fd) == 0 && pthread_join(thread, NULL) == 0);
    }
    return guest_done();
}

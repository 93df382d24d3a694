/* A server and client in one process set TCP options and read them back. Their substitutes in a replay are local
 * sockets without these options.
 *
 * run: racing
 * engine: native (threads)
 * shows: accept, bind, clone3, connect, getsockname, getsockopt, listen, recvfrom, setsockopt, socket
 * source: sockets inside the experiment
 */
#include "guest.h"
#include <netinet/in.h>
#include <netinet/tcp.h>

static struct sockaddr_in at = {.sin_family = AF_INET};
static void set(int fd, const char *what, int level, int name)
{
    int value = 1;
    socklen_t n = sizeof value;
    printf("%s: %s", what, setsockopt(fd, level, name, &value, n) ? strerror(errno) : "set");
    value = -1;
    CHECK(getsockopt(fd, level, name, &value, &n) == 0);
    printf(", %s\n", value > 0 ? "on" : "off");
}

static void *serve(void *listener)
{
    int fd = accept(*(int *)listener, NULL, NULL);
    CHECK(fd >= 0 && write(fd, "hello", 6) == 6);
    close(fd);
    return NULL;
}

int main(void)
{
    pthread_t server;
    socklen_t n = sizeof at;
    char text[6];
    int listener = socket(AF_INET, SOCK_STREAM, 0), fd = socket(AF_INET, SOCK_STREAM, 0);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    set(listener, "SO_REUSEPORT", SOL_SOCKET, SO_REUSEPORT);
    set(listener, "SO_REUSEADDR", SOL_SOCKET, SO_REUSEADDR);
    CHECK(bind(listener, (void *)&at, n) == 0 && listen(listener, 1) == 0 && getsockname(listener, (void *)&at, &n) == 0);
    CHECK(pthread_create(&server, NULL, serve, &listener) == 0);
    set(fd, "TCP_NODELAY", IPPROTO_TCP, TCP_NODELAY);
    set(fd, "SO_KEEPALIVE", SOL_SOCKET, SO_KEEPALIVE);
    set(fd, "SO_ZEROCOPY", SOL_SOCKET, SO_ZEROCOPY);
    CHECK(connect(fd, (void *)&at, n) == 0);
    CHECK(recv(fd, text, sizeof text, MSG_WAITALL) == sizeof text);
    puts(text);
    CHECK(pthread_join(server, NULL) == 0);
    return guest_done();
}

/* A thread serves TCP on a port chosen by the kernel. The program is its client.
 *
 * run: racing
 * engine: native (threads)
 * shows: accept4, bind, connect, getsockname, listen, read, recvfrom, setsockopt, shutdown, socket
 * source: sockets inside the experiment
 */
#include "guest.h"
#include <arpa/inet.h>
#include <netinet/tcp.h>

static void *serve(void *arg)
{
    int listener = *(int *)arg;
    for (int i = 0; i < 3; i++) {
        char text[100];
        struct sockaddr_in who;
        socklen_t size = sizeof who;
        int peer = accept4(listener, (struct sockaddr *)&who, &size, SOCK_CLOEXEC);
        CHECK(peer >= 0);
        ssize_t count = recv(peer, text, sizeof text - 1, 0);
        CHECK(count > 0);
        dprintf(peer, "you are %s:%d and said %.*s", inet_ntoa(who.sin_addr), ntohs(who.sin_port), (int)count, text);
        CHECK(shutdown(peer, SHUT_WR) == 0 && close(peer) == 0);
    }
    return NULL;
}
int main(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}, own;
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    CHECK(setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0);
    CHECK(bind(listener, (struct sockaddr *)&address, sizeof address) == 0 && listen(listener, 3) == 0);
    CHECK(getsockname(listener, (struct sockaddr *)&address, &size) == 0);
    printf("port %d\n", ntohs(address.sin_port));
    pthread_t server;
    CHECK(pthread_create(&server, NULL, serve, &listener) == 0);
    for (int i = 0; i < 3; i++) {
        char text[200] = "";
        size_t have = 0;
        ssize_t got;
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        CHECK(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0);
        CHECK(connect(fd, (struct sockaddr *)&address, sizeof address) == 0);
        size = sizeof own;
        CHECK(getsockname(fd, (struct sockaddr *)&own, &size) == 0 && write(fd, "words", 5) == 5);
        while ((got = read(fd, text + have, sizeof text - 1 - have)) > 0)
            have += got;
        printf("from %d: %s\n", ntohs(own.sin_port), text);
        close(fd);
    }
    CHECK(pthread_join(server, NULL) == 0);
    return guest_done();
}

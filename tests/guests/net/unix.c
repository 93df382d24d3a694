/* A child serves a Unix socket in the directory. Descriptors and credentials are passed, too.
 *
 * live: yes
 * shows: accept, bind, connect, getpeername, getsockopt, listen, recvfrom, sendto, socket, unlink
 * source: sockets inside the experiment; descriptors passed over sockets
 */
#include "guest.h"
#include <sys/un.h>

static void serve(int listener)
{
    char text[64];
    for (int i = 0; i < 3; i++) {
        int peer = accept(listener, NULL, NULL);
        ssize_t size = read(peer, text, sizeof text);
        for (ssize_t j = 0; j < size; j++)
            text[j] ^= 32;
        CHECK(write(peer, text, size) == size);
        close(peer);
    }
    _exit(0);
}
int main(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "door"}, name;
    socklen_t size = sizeof name;
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    CHECK(bind(listener, (struct sockaddr *)&address, sizeof address) == 0 && listen(listener, 5) == 0);
    pid_t child = fork();
    if (child == 0)
        serve(listener);
    for (int i = 0; i < 3; i++) {
        char text[64] = "";
        int fd = socket(AF_UNIX, SOCK_STREAM, 0);
        CHECK(connect(fd, (struct sockaddr *)&address, sizeof address) == 0);
        struct ucred peer;
        socklen_t length = sizeof peer;
        CHECK(getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0);
        CHECK(send(fd, "hello", 5, MSG_NOSIGNAL) == 5 && recv(fd, text, sizeof text, MSG_WAITALL) == 5);
        CHECK(getpeername(fd, (struct sockaddr *)&name, &size) == 0);
        printf("%s from %s, served by %d of user %d\n", text, name.sun_path, peer.pid, peer.uid);
        close(fd);
    }
    CHECK(wait_for(child) == 0 && unlink("door") == 0);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    printf("again: %d %s\n", connect(fd, (struct sockaddr *)&address, sizeof address), strerror(errno));
    return guest_done();
}

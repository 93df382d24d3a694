/* Threads connect without waiting where nobody listens: each learns later why it failed. An option of such a socket and of
 * a connected one has other values.
 *
 * run: racing, outside=servers
 * engine: native (threads)
 * shows: connect, getsockopt, poll, socket
 * source: servers and clients outside the experiment
 */
#include "outside.h"
#include <netinet/tcp.h>

static int segment_of(int fd)
{
    int bytes = -1;
    socklen_t size = sizeof bytes;
    CHECK(getsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &bytes, &size) == 0);
    return bytes;
}

static void *call(void *unused)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(1), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), error = 0;
    socklen_t size = sizeof error;
    struct pollfd ready = {fd, POLLOUT, 0};
    CHECK(connect(fd, (void *)&at, sizeof at) < 0 && errno == EINPROGRESS);
    CHECK(poll(&ready, 1, 1000) == 1 && getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0);
    printf("%s, segments of %d bytes\n", strerror(error), segment_of(fd));
    CHECK(close(fd) == 0);
    return unused;
}

int main(void)
{
    char answer[64];
    FILE *f = called();
    run_threads(2, call);
    printf("segments of %d bytes\n", segment_of(fileno(f)));
    CHECK(fputs("next\n", f) >= 0 && fflush(f) == 0 && fgets(answer, sizeof answer, f));
    printf("answer %s", answer);
    return guest_done();
}

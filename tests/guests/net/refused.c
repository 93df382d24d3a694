/* Connects where nobody listens, and resolves names that do not exist.
 *
 * shows: connect, getsockopt, poll, socket
 * source: servers and clients outside the experiment
 */
#include "guest.h"
#include <arpa/inet.h>
#include <netdb.h>

int main(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(1),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    printf("connect %d %s\n", connect(fd, (struct sockaddr *)&address, sizeof address), strerror(errno));
    fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    printf("without waiting %d %s\n", connect(fd, (struct sockaddr *)&address, sizeof address), strerror(errno));
    struct pollfd ready = {fd, POLLOUT, 0};
    int error = 0;
    socklen_t size = sizeof error;
    CHECK(poll(&ready, 1, 1000) == 1 && getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0);
    printf("then %s, events %x\n", strerror(error), ready.revents);
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_STREAM}, *found;
    printf("numeric %d\n", getaddrinfo("127.0.0.1", "80", &hints, &found));
    printf("no number %d\n", getaddrinfo("not a number", "80", &hints, &found));
    struct hostent *local = gethostbyname("localhost");
    printf("localhost %s\n", local ? inet_ntoa(*(struct in_addr *)local->h_addr) : "?");
    printf("no family %d %s\n", socket(99, SOCK_STREAM, 0), strerror(errno));
    return guest_done();
}

/* A child answers datagrams on loopback, with sendto, sendmsg and sendmmsg.
 *
 * shows: bind, clone, connect, getsockname, recvfrom, sendmmsg, sendmsg, sendto, socket
 * source: sockets inside the experiment
 */
#include "guest.h"
#include <arpa/inet.h>

int main(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}, from;
    socklen_t size = sizeof address;
    char text[64] = "";
    int server = socket(AF_INET, SOCK_DGRAM, 0), client = socket(AF_INET, SOCK_DGRAM, 0);
    CHECK(bind(server, (struct sockaddr *)&address, sizeof address) == 0);
    CHECK(getsockname(server, (struct sockaddr *)&address, &size) == 0);
    printf("port %d\n", ntohs(address.sin_port));
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 4; i++) {
            size = sizeof from;
            ssize_t count = recvfrom(server, text, sizeof text, 0, (struct sockaddr *)&from, &size);
            CHECK(count > 0);
            text[0] = '0' + i;
            CHECK(sendto(server, text, count, 0, (struct sockaddr *)&from, size) == count);
        }
        _exit(0);
    }
    CHECK(connect(client, (struct sockaddr *)&address, sizeof address) == 0);
    struct iovec parts[2] = {{"x-", 2}, {"scattered", 9}};
    struct mmsghdr many[2] = {{.msg_hdr = {.msg_iov = parts, .msg_iovlen = 2}},
                              {.msg_hdr = {.msg_iov = parts, .msg_iovlen = 1}}};
    CHECK(send(client, "x-plain", 7, 0) == 7 && sendmsg(client, &many[0].msg_hdr, 0) == 11);
    CHECK(sendmmsg(client, many, 2, 0) == 2);
    printf("of these %u and %u were sent\n", many[0].msg_len, many[1].msg_len);
    for (int i = 0; i < 4; i++) {
        size = sizeof from;
        ssize_t count = recvfrom(client, text, sizeof text - 1, 0, (struct sockaddr *)&from, &size);
        CHECK(count > 0);
        text[count] = 0;
        printf("%s from port %d\n", text, ntohs(from.sin_port));
    }
    CHECK(wait_for(child) == 0);
    CHECK(recv(client, text, 1, MSG_DONTWAIT) == -1 && errno == EAGAIN);
    return guest_done();
}
